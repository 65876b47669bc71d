/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The made-up board with the UART of an OX820: registers of bytes, a divisor in eighths. */
#ifndef EIGHTHS_MAP_H
#define EIGHTHS_MAP_H

#include "../../made-up/include/hal_map.h"

#undef BOARD_UART_STRIDE
#undef BOARD_UART_HZ
#undef BOARD_UART_DIVISOR
#define BOARD_UART_STRIDE  1
#define BOARD_UART_HZ      6250000U
#define BOARD_UART_DIVISOR TILE_DIVISOR_8THS

#endif
