/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time and energy of chips as a drawing: a circle each, by its area, the front filled. */
#include <math.h>

#include "explore_show.h"

#define WIDTH   760
#define HEIGHT  500
#define LEFT    70
#define BOTTOM  50
#define MARGIN  40
#define TICKS   5
#define LARGEST 16.0 /* radius */

struct range {
    double from, to;
};

static struct range range_of(const struct run_explore *x, enum run_explore_by by)
{
    struct range r = {INFINITY, -INFINITY};

    for (unsigned k = 0; k < x->tune.points; k++) {
        if (!run_explore_has(x, k))
            continue;
        r.from = fmin(r.from, x->cost[k].by[by]);
        r.to = fmax(r.to, x->cost[k].by[by]);
    }
    if (!(r.to > r.from))
        r = (struct range){r.from * 0.95, r.to * 1.05};
    return r;
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

static void scales(FILE *f, const struct range *time, const struct range *energy)
{
    fprintf(f, "<g stroke=\"#888\"><path d=\"M%d %dH%dM%d %dV%d\"/></g>\n", LEFT, HEIGHT - BOTTOM,
            WIDTH - MARGIN / 2, LEFT, HEIGHT - BOTTOM, MARGIN / 2);
    for (int i = 0; i < TICKS; i++) {
        const double t = time->from + (time->to - time->from) * i / (TICKS - 1);
        const double e = energy->from + (energy->to - energy->from) * i / (TICKS - 1);
        fprintf(f, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.4g</text>\n",
                across(time, t), HEIGHT - BOTTOM + 18, t * 1e3);
        fprintf(f, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.4g</text>\n", LEFT - 6,
                up(energy, e) + 4, e * 1e3);
    }
    fprintf(f, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">time, ms</text>\n", WIDTH - MARGIN / 2,
            HEIGHT - BOTTOM + 38);
    fprintf(f, "<text x=\"%d\" y=\"14\">energy, mJ; circles: area</text>\n", LEFT - 60);
}

static void escaped(FILE *f, const char *text)
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
            fputc(*text, f);
        }
    }
}

/* What the pointer shows. */
static void title(FILE *f, const struct run_explore *x, unsigned k)
{
    const struct run_tune *const t = &x->tune;
    const struct run_explore_cost *const c = &x->cost[k];

    fputs("<title>", f);
    for (unsigned a = 0; a < t->axes; a++) {
        escaped(f, t->axis[a].name);
        fputc('=', f);
        escaped(f, t->axis[a].value[t->point[k].index[a]]);
        fputc(' ', f);
    }
    fprintf(f, "%.4f ms, %.4f mJ, %.1f mm2</title>", c->by[RUN_EXPLORE_TIME] * 1e3,
            c->by[RUN_EXPLORE_ENERGY] * 1e3, c->area_mm2);
}

int explore_draw(const void *what, FILE *f, struct mpj_err *err)
{
    const struct run_explore *const x = what;
    const struct range time = range_of(x, RUN_EXPLORE_TIME);
    const struct range energy = range_of(x, RUN_EXPLORE_ENERGY);
    double most = 0;

    for (unsigned k = 0; k < x->tune.points; k++)
        most = fmax(most, x->cost[k].area_mm2);
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\" fill=\"none\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n<g fill=\"#333\">\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    if (x->found.best[0] >= 0)
        scales(f, &time, &energy);
    fputs("</g>\n", f);
    for (unsigned k = 0; k < x->tune.points; k++) {
        if (!run_explore_has(x, k))
            continue;
        fprintf(f,
                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" stroke=\"#1f4e79\" fill=\"%s\" "
                "fill-opacity=\"0.6\">",
                across(&time, x->cost[k].by[RUN_EXPLORE_TIME]),
                up(&energy, x->cost[k].by[RUN_EXPLORE_ENERGY]),
                LARGEST * sqrt(x->cost[k].area_mm2 / most), x->front[k] ? "#5b9bd5" : "#fff");
        title(f, x, k);
        fputs("</circle>\n", f);
    }
    fputs("</svg>\n", f);
    return fflush(f) != 0 ? mpj_err_errno(err, "cannot write the drawing") : MPJ_E_OK;
}
