#include "pack.h"

#include "alloc.h"
#include "checksum.h"

#include <stdlib.h>
#include <string.h>

/// Where a region of the run is in the image, or in its group until that ends.
typedef struct Region {
    uint64_t from, size, at;
    const void *bytes;
} Region;

/// A word to relocate: its place, and within what it points.
enum { WITHIN_GROUP, WITHIN_IMAGE, FUNCTION };

typedef struct Word {
    uint64_t at, kind;
} Word;

/// A group in the image, by a checksum over its bytes and one over its addresses.
typedef struct Group {
    uint64_t sum, other;
    uint64_t at;
} Group;

typedef struct List {
    void *items;
    size_t count, capacity;
} List;

struct GrPack {
    List known;   ///< uint64_t
    List regions; ///< Region, of earlier groups of the run, by `from` once they are sorted
    List group;   ///< Region, of the present one
    List words;   ///< Word, of the image; of the group from `first_word` on, relative to it
    List groups;  ///< Group, a hash table of size `capacity`; `at` UINT64_MAX: free
    unsigned char *image;
    size_t size, capacity, first_word;
    bool sorted, failed;
};

enum { ALIGN = 16, FIRST_GROUPS = 1024 };

static size_t aligned(size_t size)
{
    return (size + ALIGN - 1) / ALIGN * ALIGN;
}

/// Room for one item more; NULL when out of memory.
static void *list_add(GrPack *pack, List *list, size_t size)
{
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity > 0 ? 2 * list->capacity : 64;
        void *items = gr_realloc(list->items, capacity * size);
        if (items == NULL) {
            pack->failed = true;
            return NULL;
        }
        list->items = items;
        list->capacity = capacity;
    }
    return (unsigned char *)list->items + size * list->count++;
}

static bool make_groups(GrPack *pack, size_t capacity)
{
    Group *groups = gr_malloc(sizeof *groups * capacity);
    if (groups == NULL) {
        pack->failed = true;
        return false;
    }
    for (size_t i = 0; i < capacity; i++) {
        groups[i] = (Group){.at = UINT64_MAX};
    }
    pack->groups = (List){.items = groups, .capacity = capacity};
    return true;
}

GrPack *gr_pack_create(const uint64_t *known, int known_count)
{
    GrPack *pack = gr_calloc(1, sizeof *pack);
    if (pack == NULL) {
        return NULL;
    }
    make_groups(pack, FIRST_GROUPS);
    for (int i = 0; i < known_count; i++) {
        uint64_t *item = list_add(pack, &pack->known, sizeof *item);
        if (item != NULL) {
            *item = known[i];
        }
    }
    return pack;
}

void gr_pack_free(GrPack *pack)
{
    if (pack != NULL) {
        gr_free(pack->known.items);
        gr_free(pack->regions.items);
        gr_free(pack->group.items);
        gr_free(pack->words.items);
        gr_free(pack->groups.items);
        gr_free(pack->image);
        gr_free(pack);
    }
}

void gr_pack_begin(GrPack *pack)
{
    pack->regions.count = 0;
    pack->group.count = 0;
}

void gr_pack_add_as(GrPack *pack, const void *address, const void *bytes, size_t size)
{
    Region *region = address != NULL ? list_add(pack, &pack->group, sizeof *region) : NULL;
    if (region != NULL) {
        *region = (Region){.from = (uint64_t)(uintptr_t)address, .size = size, .bytes = bytes};
    }
}

void gr_pack_add(void *pack, const void *memory, size_t size)
{
    gr_pack_add_as(pack, memory, memory, size);
}

/// The slot of a group in the table, or that for it.
static Group *find_group(const GrPack *pack, uint64_t sum, uint64_t other)
{
    Group *groups = pack->groups.items;
    size_t at = sum & (pack->groups.capacity - 1);
    while (groups[at].at != UINT64_MAX && (groups[at].sum != sum || groups[at].other != other)) {
        at = (at + 1) & (pack->groups.capacity - 1);
    }
    return &groups[at];
}

static void add_group(GrPack *pack, Group group)
{
    if (2 * pack->groups.count >= pack->groups.capacity) {
        const List old = pack->groups;
        if (!make_groups(pack, 2 * old.capacity)) {
            pack->groups = old;
            return;
        }
        const Group *items = old.items;
        for (size_t i = 0; i < old.capacity; i++) {
            if (items[i].at != UINT64_MAX) {
                *find_group(pack, items[i].sum, items[i].other) = items[i];
            }
        }
        pack->groups.count = old.count;
        gr_free(old.items);
    }
    *find_group(pack, group.sum, group.other) = group;
    pack->groups.count++;
}

static int by_from(const void *a, const void *b)
{
    const Region *p = a, *q = b;
    return p->from < q->from ? -1 : p->from > q->from;
}

/// The region of a sorted list that holds an address; NULL: none.
static const Region *find_region(const List *list, uint64_t address)
{
    const Region *regions = list->items;
    size_t low = 0, high = list->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (regions[middle].from <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const uint64_t into = low > 0 ? address - regions[low - 1].from : UINT64_MAX;
    return low > 0 && (into < regions[low - 1].size || into == 0) ? &regions[low - 1] : NULL; // empty ones, too
}

static bool relocate(const GrPack *pack, uint64_t *value, uint64_t *kind)
{
    const Region *own = find_region(&pack->group, *value);
    const Region *before = own == NULL ? find_region(&pack->regions, *value) : NULL;
    const Region *found = own != NULL ? own : before;
    if (found != NULL) {
        *value = found->at + (*value - found->from);
        *kind = own != NULL ? WITHIN_GROUP : WITHIN_IMAGE;
        return true;
    }
    const uint64_t *known = pack->known.items;
    for (size_t k = 0; k < pack->known.count; k++) {
        if (known[k] == *value) {
            *value = k + 1;
            *kind = FUNCTION;
            return true;
        }
    }
    return false;
}

static bool make_room(GrPack *pack, size_t size)
{
    if (pack->capacity - pack->size < size) {
        size_t capacity = pack->capacity > 0 ? pack->capacity : (size_t)1 << 20;
        while (capacity - pack->size < size) {
            capacity *= 2;
        }
        unsigned char *image = gr_realloc(pack->image, capacity);
        if (image == NULL) {
            pack->failed = true;
            return false;
        }
        pack->image = image;
        pack->capacity = capacity;
    }
    memset(pack->image + pack->size, 0, size);
    return true;
}

/// Copies the regions behind the image, with their words relocated. Numbers of the host that are no address here (names
/// of memory that nobody reads there) would make equal groups differ: they stay, and such groups are kept twice.
static void write_group(GrPack *pack)
{
    const Region *regions = pack->group.items;
    pack->first_word = pack->words.count;
    for (size_t i = 0; i < pack->group.count; i++) {
        unsigned char *to = pack->image + pack->size + regions[i].at;
        if (regions[i].size > 0) {
            memcpy(to, regions[i].bytes, regions[i].size);
        }
        for (size_t k = 0; k + 8 <= regions[i].size; k += 8) {
            uint64_t value, kind;
            memcpy(&value, to + k, sizeof value);
            if (value < 4096 || value >> 48 != 0 || !relocate(pack, &value, &kind)) { // no address of a program
                continue;
            }
            memcpy(to + k, &value, sizeof value);
            Word *word = list_add(pack, &pack->words, sizeof *word);
            if (word != NULL) {
                *word = (Word){regions[i].at + k, kind};
            }
        }
    }
}

/// Remembers where the group is, for the groups that follow.
static void keep_regions(GrPack *pack, uint64_t at)
{
    const Region *group = pack->group.items;
    for (size_t i = 0; i < pack->group.count; i++) {
        Region *region = list_add(pack, &pack->regions, sizeof *region);
        if (region != NULL) {
            *region = group[i];
            region->at += at;
        }
    }
    pack->group.count = 0;
    pack->sorted = false;
}

uint64_t gr_pack_end(GrPack *pack)
{
    Region *regions = pack->group.items;
    if (pack->failed || pack->group.count == 0) {
        return 0;
    }
    size_t size = 0;
    for (size_t i = 0; i < pack->group.count; i++) {
        regions[i].at = size;
        size += aligned(regions[i].size);
    }
    qsort(regions, pack->group.count, sizeof *regions, by_from);
    if (!pack->sorted && pack->regions.count > 0) {
        qsort(pack->regions.items, pack->regions.count, sizeof *regions, by_from);
        pack->sorted = true;
    }
    if (!make_room(pack, size)) {
        return 0;
    }
    write_group(pack);
    Word *words = pack->words.items;
    const size_t count = pack->words.count - pack->first_word;
    const uint64_t sum = gr_checksum(0, pack->image + pack->size, size);
    const uint64_t other =
        gr_checksum(1, count > 0 ? (const void *)(words + pack->first_word) : "", count * sizeof *words);
    const Group *same = find_group(pack, sum, other);
    uint64_t at = same->at;
    if (at != UINT64_MAX) { // kept already
        pack->words.count = pack->first_word;
    } else {
        at = pack->size;
        pack->size += size;
        add_group(pack, (Group){sum, other, at});
        for (size_t i = pack->first_word; i < pack->words.count; i++) {
            words[i].at += at;
            if (words[i].kind == WITHIN_GROUP) {
                uint64_t value;
                memcpy(&value, pack->image + words[i].at, sizeof value);
                value += at;
                memcpy(pack->image + words[i].at, &value, sizeof value);
            }
        }
    }
    keep_regions(pack, at);
    return at; // of the region that was added first
}

void gr_pack_share(GrPack *pack, const void *memory, size_t size)
{
    const uint64_t address = (uint64_t)(uintptr_t)memory;
    if (pack->failed || size == 0) {
        return;
    }
    Group *group = find_group(pack, address, size); // by its place: it stays what it is
    uint64_t at = group->at;
    if (at == UINT64_MAX && make_room(pack, aligned(size))) {
        at = pack->size;
        memcpy(pack->image + at, memory, size);
        pack->size += aligned(size);
        add_group(pack, (Group){address, size, at});
    }
    Region *region = list_add(pack, &pack->regions, sizeof *region);
    if (region != NULL) {
        *region = (Region){.from = address, .size = size, .at = at};
        pack->sorted = false;
    }
}

bool gr_pack_is_good(const GrPack *pack)
{
    return !pack->failed;
}

size_t gr_pack_size(const GrPack *pack)
{
    return pack->size;
}

const void *gr_pack_image(GrPack *pack, uint64_t base)
{
    const Word *words = pack->words.items;
    for (size_t i = 0; i < pack->words.count; i++) {
        uint64_t value;
        memcpy(&value, pack->image + words[i].at, sizeof value);
        value += words[i].kind == FUNCTION ? 0 : base;
        memcpy(pack->image + words[i].at, &value, sizeof value);
    }
    return pack->image;
}
