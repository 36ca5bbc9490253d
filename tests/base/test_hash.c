// SHA-256 beside known hashes and libmd's, in both ways of its inner function; the checksum.
#include "base/hash.h"
#include "base/sha256.h"
#include "check.h"

#include <stdlib.h>

#include <sys/types.h>

#include <sha2.h>

enum { BYTES = 5 * SEDGE_SHA256_BLOCK };

static void fill(uint8_t *bytes, size_t count)
{
    uint32_t state = 1;

    for (size_t i = 0; i < count; i++) {
        state = 1664525 * state + 1013904223;
        bytes[i] = (uint8_t)(state >> 24);
    }
}

static void check_text(const char *text, const char *expected)
{
    const sedge_hash hash = sedge_hash_bytes(text, strlen(text));
    char found[SEDGE_HASH_TEXT];

    sedge_hash_print(&hash, found);
    CHECK(strcmp(found, expected) == 0);
}

// The first two are examples of FIPS 180-2, Appendix B; `sha256sum` gives all three.
static void test_known(void)
{
    check_text("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    check_text("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
               "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    check_text("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

// Every length up to a few blocks, from every alignment, and fields that end at any place in a
// block.
static void test_lengths(void)
{
    uint8_t bytes[BYTES];
    uint8_t joined[8 + BYTES + 8 + BYTES];
    uint8_t expected[SHA256_DIGEST_LENGTH];
    int wrong = 0;

    fill(bytes, sizeof bytes);
    for (size_t length = 0; length + 16 <= sizeof bytes; length++) {
        SHA2_CTX context;
        SHA256Init(&context);
        SHA256Update(&context, bytes + length % 16, length);
        SHA256Final(expected, &context);
        const sedge_hash hash = sedge_hash_bytes(bytes + length % 16, length);
        wrong += memcmp(hash.bytes, expected, sizeof expected) != 0;

        const void *const fields[] = {bytes, bytes + length};
        const size_t lengths[] = {length, sizeof bytes - length};
        size_t end = 0;
        for (int i = 0; i < 2; i++) {
            for (int k = 0; k < 8; k++) joined[end++] = (uint8_t)((uint64_t)lengths[i] >> (8 * k));
            memcpy(joined + end, fields[i], lengths[i]);
            end += lengths[i];
        }
        const sedge_hash both = sedge_hash_fields(fields, lengths, 2);
        const sedge_hash whole = sedge_hash_bytes(joined, end);
        wrong += memcmp(both.bytes, whole.bytes, sizeof both.bytes) != 0;
    }
    CHECK(wrong == 0);
}

// From any state, one block and several.
static void test_ways(void)
{
    uint8_t bytes[BYTES];
    uint32_t state[2][8];
    int wrong = 0;

    if (sedge_sha256_fastest() == sedge_sha256_plain)
        printf("this CPU has no instructions for SHA: one implementation is tested\n");
    fill(bytes, sizeof bytes);
    memcpy(state[0], bytes, sizeof state[0]);
    memcpy(state[1], bytes, sizeof state[1]);
    for (size_t blocks = 0; blocks < BYTES / SEDGE_SHA256_BLOCK; blocks++) {
        sedge_sha256_plain(state[0], bytes + blocks, blocks);
        sedge_sha256_fastest()(state[1], bytes + blocks, blocks);
        wrong += memcmp(state[0], state[1], sizeof state[0]) != 0;
    }
    CHECK(wrong == 0);
}

// Each byte counts, a zero at the end too, and so does where an array begins again.
static void test_quick(void)
{
    uint8_t bytes[24];

    fill(bytes, sizeof bytes);
    bytes[20] = 0;
    const uint64_t sum = sedge_hash_quick(0, bytes, 21);
    CHECK(sedge_hash_quick(0, bytes, 21) == sum);
    CHECK(sedge_hash_quick(1, bytes, 21) != sum);
    CHECK(sedge_hash_quick(0, bytes, 20) != sum);
    CHECK(sedge_hash_quick(sedge_hash_quick(0, bytes, 8), bytes + 8, 13) != sum);
    for (int i = 0; i < 21; i++) {
        bytes[i] ^= 1;
        CHECK(sedge_hash_quick(0, bytes, 21) != sum);
        bytes[i] ^= 1;
    }
}

int main(void)
{
    test_known();
    test_lengths();
    test_ways();
    test_quick();
    return CHECK_END();
}
