/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "chart.h"

#include <math.h>
#include <stdlib.h>

#define WIDTH   760
#define HEIGHT  500
#define LEFT    80
#define BOTTOM  50
#define MARGIN  40
#define TICKS   5
#define LARGEST 16.0 /* radius */

struct range {
    double from, to;
};

static void widen(struct range *r, double v)
{
    r->from = fmin(r->from, v);
    r->to = fmax(r->to, v);
}

static void not_empty(struct range *r)
{
    if (!(r->to > r->from))
        *r = (struct range){r->from - fabs(r->from) / 20 - 1e-12,
                            r->from + fabs(r->from) / 20 + 1e-12};
}

static double across(const struct range *r, double v)
{
    return LEFT + MARGIN + (v - r->from) / (r->to - r->from) * (WIDTH - LEFT - 2 * MARGIN);
}

static double up(const struct range *r, double v)
{
    return HEIGHT - BOTTOM - MARGIN -
           (v - r->from) / (r->to - r->from) * (HEIGHT - BOTTOM - 2 * MARGIN);
}

void chart_escaped(FILE *f, const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '<':
            fputs("&lt;", f);
            break;
        case '&':
            fputs("&amp;", f);
            break;
        default:
            fputc((unsigned char)*text < ' ' ? ' ' : *text, f);
        }
    }
}

static void scales(FILE *f, const struct chart *c, const struct range *x, const struct range *y)
{
    fprintf(f, "<g stroke=\"#888\"><path d=\"M%d %dH%dM%d %dV%d\"/></g>\n<g fill=\"#333\">\n", LEFT,
            HEIGHT - BOTTOM, WIDTH - MARGIN / 2, LEFT, HEIGHT - BOTTOM, MARGIN / 2);
    for (int i = 0; i < TICKS; i++) {
        const double vx = x->from + (x->to - x->from) * i / (TICKS - 1);
        const double vy = y->from + (y->to - y->from) * i / (TICKS - 1);
        fprintf(f, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.4g</text>\n", across(x, vx),
                HEIGHT - BOTTOM + 18, vx);
        fprintf(f, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.4g</text>\n", LEFT - 6,
                up(y, vy) + 4, vy);
    }
    fprintf(f, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", WIDTH - MARGIN / 2,
            HEIGHT - BOTTOM + 38);
    chart_escaped(f, c->x);
    fputs("</text>\n<text x=\"10\" y=\"14\">", f);
    chart_escaped(f, c->y);
    fputs("</text>\n</g>\n", f);
}

int chart_put(const void *what, FILE *f, struct mpj_err *err)
{
    const struct chart *const c = what;
    struct range x = {INFINITY, -INFINITY};
    struct range y = {INFINITY, -INFINITY};
    double most = 0;

    for (unsigned i = 0; i < c->points; i++) {
        widen(&x, c->point[i].x);
        widen(&y, c->point[i].y);
        most = fmax(most, c->point[i].size);
    }
    not_empty(&x);
    not_empty(&y);
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\" fill=\"none\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    if (c->points > 0)
        scales(f, c, &x, &y);
    for (unsigned i = 0; i < c->points; i++) {
        const struct chart_point *const p = &c->point[i];
        fprintf(f,
                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" stroke=\"#1f4e79\" fill=\"%s\" "
                "fill-opacity=\"0.6\"><title>",
                across(&x, p->x), up(&y, p->y), LARGEST * sqrt(p->size / most),
                p->front ? "#5b9bd5" : "#fff");
        chart_escaped(f, p->title);
        fputs("</title></circle>\n", f);
    }
    fputs("</svg>\n", f);
    return fflush(f) != 0 ? mpj_err_errno(err, "cannot write the drawing") : MPJ_E_OK;
}

int chart_end(struct chart *c, bool full, FILE *f, struct mpj_err *err)
{
    const int result = full ? chart_put(c, f, err) : mpj_err_nomem(err);

    for (unsigned i = 0; i < c->points; i++)
        free(c->point[i].title);
    free(c->point);
    *c = (struct chart){.points = 0};
    return result;
}
