/*
 * Where an inference stands whose input arrives row by row: part, turn of the part, row of the turn.  Three words of
 * the arena; they count rows and never depend on what the rows hold.
 */
#ifndef BYROTE_PUSH_H
#define BYROTE_PUSH_H
#include "move.h"

/* One row of a part with `rows` rows per turn and `turns` turns is done. */
KERNEL void next_row(arena_word *at, uint32_t rows, uint32_t turns)
{
    if (++at[2] < rows) return;
    at[2] = 0;
    if (++at[1] < turns) return;
    at[1] = 0;
    ++at[0];
}
#endif
