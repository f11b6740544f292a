/*
 * What the emulator calls at every block and at every memory access, as machine code because a Python function at each
 * of them is forty times slower.  hooks.py holds the same two functions in Python, and a test that they agree.
 *
 * The structures are mirrored there.  `base` and `length` give the watched code as an address and a number of halfwords.
 */
#include <stdint.h>

#define NOWHERE UINT64_MAX
#define WRITE 17 /* UC_MEM_WRITE */
#define RANGES 16
#define RECORDS 32
#define IT_REACH 7 /* halfwords from an IT instruction to its last one, which may be in another block than it */

typedef int (*register_access)(void *engine, int id, void *value);
typedef int (*stop_engine)(void *engine);

/* Blocks: entered and left per halfword, and the jumps between them. */
struct blocks {
    uint64_t base, length;
    uint64_t *entered;     /* blocks that begin here */
    uint64_t *left;        /* blocks that end here, one entry more than halfwords */
    uint64_t *jumped_to;   /* of those that begin here, how many not from the instruction before */
    uint64_t *jumped_from; /* of those that end here, how many went elsewhere */
    uint64_t last_end;
    uint64_t count, limit; /* blocks run, and when to give up */
    uint64_t outside;      /* the first block outside the code, NOWHERE if none */
    stop_engine stop;
    const uint32_t *predicated; /* IT instructions before each halfword, NULL where the core has none */
    uint64_t in_predicated;     /* an IT block may reach into the current block */
};

struct access {
    uint64_t address, pc, size, store;
};

/* Memory: where stores and loads may go, and what went elsewhere. */
struct memory {
    uint64_t base, length;
    uint64_t stack_low, stack_high, lowest;
    uint64_t store_ranges, store_low[RANGES], store_high[RANGES];
    uint64_t load_ranges, load_low[RANGES], load_high[RANGES];
    uint64_t stores, loads, stray_stores, stray_loads;
    uint64_t *unaligned[3]; /* per halfword of code: halfword at an odd address; word at 2 mod 4; word at an odd address */
    uint64_t unaligned_outside;
    uint64_t records;
    struct access record[RECORDS];
    register_access read_register, write_register;
    int32_t pc, status;
    struct blocks *blocks;
};

void on_block(void *engine, uint64_t address, uint32_t size, struct blocks *b)
{
    uint64_t start = (address - b->base) >> 1;
    uint64_t end = start + (size >> 1);
    if (++b->count > b->limit)
        b->stop(engine);
    if (address < b->base || end > b->length) {
        if (b->outside == NOWHERE)
            b->outside = address;
        return;
    }
    if (b->last_end != address) {
        b->jumped_to[start]++;
        if (b->last_end != NOWHERE)
            b->jumped_from[(b->last_end - b->base) >> 1]++;
    }
    b->entered[start]++;
    b->left[end]++;
    b->last_end = address + size;
    if (b->predicated)
        b->in_predicated = b->predicated[end] - b->predicated[start < IT_REACH ? 0 : start - IT_REACH];
}

/*
 * The emulator restores the state of the IT block before it calls a memory hook and does not clear it afterwards, so
 * that the conditions leak into the next block.  Inside a translated block nothing depends on that state: clear it.
 * `status` is the register that holds it and no flags: those are in use, and a write may change how they are kept.
 */
static void clear_it_state(void *engine, const struct memory *m)
{
    uint32_t status = 0;
    m->read_register(engine, m->status, &status);
    if (!(status & 0x0600fc00u))
        return;
    status &= ~0x0600fc00u;
    m->write_register(engine, m->status, &status);
}

static uint64_t program_counter(void *engine, const struct memory *m)
{
    uint32_t pc = 0;
    m->read_register(engine, m->pc, &pc);
    return pc & ~(uint64_t)1;
}

static int inside(uint64_t count, const uint64_t *low, const uint64_t *high, uint64_t start, uint64_t end)
{
    for (uint64_t i = 0; i < count; i++)
        if (start >= low[i] && end <= high[i])
            return 1;
    return 0;
}

static void stray(void *engine, struct memory *m, uint64_t address, uint64_t size, uint64_t store)
{
    struct access *a;
    if (m->records == RECORDS)
        return;
    a = &m->record[m->records++];
    a->address = address;
    a->pc = program_counter(engine, m);
    a->size = size;
    a->store = store;
}

static void unaligned(void *engine, struct memory *m, uint64_t address, uint64_t size)
{
    uint64_t index = (program_counter(engine, m) - m->base) >> 1;
    if (index >= m->length) {
        m->unaligned_outside++;
        return;
    }
    m->unaligned[size == 2 ? 0 : (address & 1) ? 2 : 1][index]++;
}

void on_access(void *engine, int32_t type, uint64_t address, int32_t bytes, int64_t value, struct memory *m)
{
    uint64_t size = (uint64_t)bytes;
    uint64_t end = address + size;
    (void)value;
    if (m->blocks->in_predicated)
        clear_it_state(engine, m);
    if (address & ((size < 4 ? size : 4) - 1))
        unaligned(engine, m, address, size);
    if (type != WRITE) {
        m->loads++;
        if (!inside(m->load_ranges, m->load_low, m->load_high, address, end)) {
            m->stray_loads++;
            stray(engine, m, address, size, 0);
        }
        return;
    }
    m->stores++;
    if (address >= m->stack_low && end <= m->stack_high) {
        if (address < m->lowest)
            m->lowest = address;
        return;
    }
    if (!inside(m->store_ranges, m->store_low, m->store_high, address, end)) {
        m->stray_stores++;
        stray(engine, m, address, size, 1);
    }
}
