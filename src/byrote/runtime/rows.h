/*
 * The rows of a tensor that one kernel call may read.
 *
 * Rows lie in slots.  The first `held` slots are rows that survived from the step before ("kept"), the others are rows
 * that were produced just now ("fresh"); a whole tensor is the case held == 0.  Slots below `first` and from `end` on
 * hold no row of the tensor: what a window reads there is padding, and kernels skip those taps.
 * `top` is the slot at which the window of the call's first output row begins; it may lie below `first`.
 *
 * All members but the pointers are compile-time constants in specialised calls.
 */
#ifndef BYROTE_ROWS_H
#define BYROTE_ROWS_H
#include <stdint.h>

/* How a kernel is compiled: inlined into its one caller, so that the compiler sees every size. */
#ifndef KERNEL
#define KERNEL static inline __attribute__((always_inline))
#endif

struct rows {
    const uint8_t *kept;
    const uint8_t *fresh;
    int32_t held;
    int32_t top;
    int32_t first;
    int32_t end;
};

KERNEL struct rows rows_of(const uint8_t *kept, const uint8_t *fresh, int32_t held, int32_t top, int32_t first, int32_t end)
{
    struct rows r;
    r.kept = kept;
    r.fresh = fresh;
    r.held = held;
    r.top = top;
    r.first = first;
    r.end = end;
    return r;
}

/* Address of a slot; `size` bytes from one row to the next. */
KERNEL const uint8_t *row_at(const struct rows *r, int32_t slot, int32_t size)
{
    return slot < r->held ? r->kept + slot * size : r->fresh + (slot - r->held) * size;
}
#endif
