/*
 * Which taps of a window lie inside: window position `start`, tap k at start + k * step, inside is begin <= position < end.
 * Compile-time arithmetic in specialised calls; never depends on data.
 */
#ifndef BYROTE_TAPS_H
#define BYROTE_TAPS_H
#include "rows.h"

/* Number of taps before the first that lies inside. */
KERNEL int32_t first_tap(int32_t start, int32_t step, int32_t begin, int32_t taps)
{
    int32_t k = 0;
    while (k < taps && start + k * step < begin) k++;
    return k;
}

/* One past the last tap that lies inside. */
KERNEL int32_t end_tap(int32_t start, int32_t step, int32_t end, int32_t taps)
{
    while (taps > 0 && start + (taps - 1) * step >= end) taps--;
    return taps;
}

#endif
