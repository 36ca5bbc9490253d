#include "resonance/modes.h"

#include "base/memory.h"
#include "petsc/lapack.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define PI          3.14159265358979323846
#define J           ((double complex)_Complex_I)
#define RATE        4.0   // samples after the filter, of the band's width
#define STOP        120.0 // dB
#define MOST        600   // samples after the filter that count
#define LEAST       16    // with fewer nothing is found
#define COMBINED    6     // combinations of records in a pencil
#define NOISE       5.0   // singular values above this multiple of the noise's are oscillations
#define ROUNDING    1e-11 // of the largest singular value: the least noise
#define LEFT_OUT    0.1   // of the samples at each end, of the second estimate
#define CERTAIN     0.01  // of 1 / time of the record: the most that estimates may differ
#define NEAR        0.02  // of it: what is farther apart is not joined
#define MOST_CHANGE 1e-2  // of the frequency
#define JOINED      20.0 // oscillations that are nearer than this multiple of their changes are one
#define LEAK        3.0  // amplitudes below this multiple of what the filter leaves are dropped

// The records, filtered: columns of `count` samples.
typedef struct filtered {
    double centre;          // frequency that is 0 now
    int every;              // samples of the record from one to the next
    int taps;               // of the filter
    double complex *weight; // [taps], with exp(-j 2 pi centre t) of each sample's t
    double interval;        // time between samples
    int count, records;
    double complex *values; // [records][count]
    double largest;         // |value| of the record
} filtered;

// ---- the filter --------------------------------------------------------------------------------

static int find_every(double interval, double width)
{
    const double every = floor(1.0 / (RATE * width * interval));

    return every > 1.0 ? (int)fmin(every, 1e8) : 1;
}

// Kaiser's rule. From half the band's width to what folds onto the band after the filter, of
// frequencies in units of the record's rate.
static int count_taps(double interval, double width)
{
    const int every = find_every(interval, width);

    if (every == 1) return 1; // nothing folds
    const double edge = 1.0 / every - width * interval;
    return (int)ceil((STOP - 7.95) / (2.285 * 2.0 * PI * edge)) | 1;
}

// The modified Bessel function I_0.
static double bessel(double x)
{
    double term = 1.0, sum = 1.0;

    for (int k = 1; term > 1e-17 * sum; k++) {
        term *= x / (2.0 * k) * (x / (2.0 * k));
        sum += term;
    }
    return sum;
}

static void set_weights(const filtered *out)
{
    const double beta = 0.1102 * (STOP - 8.7);
    const double cut = 1.0 / out->every; // twice the frequency, of the record's rate
    const double middle = 0.5 * (out->taps - 1);

    for (int k = 0; k < out->taps; k++) {
        const double x = k - middle;
        const double at = out->taps > 1 ? x / middle : 0.0;
        const double sinc = fabs(x) > 0.25 ? sin(PI * cut * x) / (PI * x) : cut;
        out->weight[k] *= sinc * bessel(beta * sqrt(fmax(0.0, 1.0 - at * at))) / bessel(beta);
    }
}

static int64_t count_samples(double interval, double width, int after)
{
    return count_taps(interval, width) + (int64_t)find_every(interval, width) * (after - 1);
}

int64_t sedge_modes_least(double interval, double low, double high)
{
    return count_samples(interval, high - low, LEAST);
}

int64_t sedge_modes_most(double interval, double low, double high)
{
    return count_samples(interval, high - low, MOST);
}

// exp(-j 2 pi centre t) at a sample of the record.
static double complex turn_back(const filtered *out, double interval, int64_t sample)
{
    const double turns = out->centre * interval * (double)sample;

    return cexp(-2.0 * PI * J * (turns - floor(turns)));
}

static void filter_record(const filtered *out, const sedge_mode_record *record, int r)
{
    for (int i = 0; i < out->count; i++) {
        const int64_t first = (int64_t)i * out->every;
        double complex sum = 0.0;
        for (int k = 0; k < out->taps; k++)
            sum += out->weight[k] * record->values[(first + k) * record->records + r];
        out->values[(int64_t)r * out->count + i] = turn_back(out, record->interval, first) * sum;
    }
}

static sedge_status filter(filtered *out, const sedge_mode_record *record, double low, double high)
{
    const double width = high - low;
    const int64_t all = record->samples * record->records;

    *out = (filtered){.centre = 0.5 * (low + high),
                      .every = find_every(record->interval, width),
                      .taps = count_taps(record->interval, width),
                      .records = record->records};
    out->interval = out->every * record->interval;
    const int64_t count = (record->samples - out->taps) / out->every + 1;
    out->count = record->samples < out->taps ? 0 : (int)(count < MOST ? count : MOST);
    SEDGE_TRY(sedge_allocate(&out->weight, out->taps, sizeof *out->weight));
    SEDGE_TRY(
        sedge_allocate(&out->values, (int64_t)out->records * out->count, sizeof(*out->values)));
    for (int k = 0; k < out->taps; k++) out->weight[k] = turn_back(out, record->interval, k);
    if (out->every > 1) set_weights(out);
    for (int64_t i = 0; i < all; i++) out->largest = fmax(out->largest, fabs(record->values[i]));
    for (int r = 0; r < out->records; r++) filter_record(out, record, r);
    return SEDGE_OK;
}

static void clear(const filtered *what)
{
    sedge_release(what->weight);
    sedge_release(what->values);
}

// ---- LAPACK ------------------------------------------------------------------------------------

static sedge_status check(int info, const char *function)
{
    if (info == 0) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_COMPUTE, "resonances: LAPACK's %s fails (%d)", function, info);
}

// Singular values [min(m, n)] of a (m x n), which is lost, and right vectors vt [min(m, n)][n].
static sedge_status decompose(double complex *a, int m, int n, double *s, double complex *vt)
{
    const int least = m < n ? m : n;
    const int most = m < n ? n : m;
    const sedge_lapack *lapack;
    double complex *u = NULL, *work = NULL, size;
    double *rwork = NULL;
    int *iwork = NULL;
    int query = -1, info = 0;
    sedge_status status;

    SEDGE_TRY(sedge_lapack_load(&lapack));
    SEDGE_TRY_GOTO(status, sedge_allocate(&u, (int64_t)m * least, sizeof *u));
    SEDGE_TRY_GOTO(status, sedge_allocate(&iwork, (int64_t)8 * least, sizeof *iwork));
    SEDGE_TRY_GOTO(status,
                   sedge_allocate(&rwork,
                                  (int64_t)least * (5 * (int64_t)least + 2 * (int64_t)most + 7),
                                  sizeof *rwork));
    lapack->zgesdd("S", &m, &n, a, &m, s, u, &m, vt, &least, &size, &query, rwork, iwork, &info, 1);
    query = (int)creal(size);
    SEDGE_TRY_GOTO(status, sedge_allocate(&work, query, sizeof *work));
    lapack->zgesdd("S", &m, &n, a, &m, s, u, &m, vt, &least, work, &query, rwork, iwork, &info, 1);
    status = check(info, "zgesdd");
done:
    sedge_release(u);
    sedge_release(work);
    sedge_release(rwork);
    sedge_release(iwork);
    return status;
}

// The x with the least |a x - b|, for each column of b [columns][m], whose first n numbers become
// x. a (m x n) is lost.
static sedge_status solve(double complex *a, int m, int n, double complex *b, int columns)
{
    const sedge_lapack *lapack;
    double complex *work = NULL, size;
    int query = -1, info = 0;

    SEDGE_TRY(sedge_lapack_load(&lapack));
    lapack->zgels("N", &m, &n, &columns, a, &m, b, &m, &size, &query, &info, 1);
    query = (int)creal(size);
    SEDGE_TRY(sedge_allocate(&work, query, sizeof *work));
    lapack->zgels("N", &m, &n, &columns, a, &m, b, &m, work, &query, &info, 1);
    sedge_release(work);
    return check(info, "zgels");
}

// Eigenvalues [n] of a (n x n), whose columns lie `stride` numbers apart; a is lost.
static sedge_status find_eigenvalues(double complex *a, int n, int stride, double complex *values)
{
    const int one = 1;
    const sedge_lapack *lapack;
    double complex *work = NULL, size;
    double *rwork = NULL;
    int query = -1, info = 0;

    SEDGE_TRY(sedge_lapack_load(&lapack));
    SEDGE_TRY(sedge_allocate(&rwork, 2 * (int64_t)n, sizeof *rwork));
    lapack->zgeev("N", "N", &n, a, &stride, values, NULL, &one, NULL, &one, &size, &query, rwork,
                  &info, 1, 1);
    query = (int)creal(size);
    sedge_status status = sedge_allocate(&work, query, sizeof *work);
    if (status == SEDGE_OK) {
        lapack->zgeev("N", "N", &n, a, &stride, values, NULL, &one, NULL, &one, work, &query, rwork,
                      &info, 1, 1);
        status = check(info, "zgeev");
    }
    sedge_release(work);
    sedge_release(rwork);
    return status;
}

// ---- the pencil --------------------------------------------------------------------------------

// `samples` samples of all records, from `begin` on, as few: the combinations that have most of
// them,
// `*combined` of them, out [COMBINED][samples].
static sedge_status combine(double complex **out, int *combined, const filtered *from, int begin,
                            int samples)
{
    const int least = from->records < samples ? from->records : samples;
    double complex *a = NULL, *vt = NULL;
    double *s = NULL;
    sedge_status status;

    *out = NULL;
    *combined = 0;
    SEDGE_TRY_GOTO(status, sedge_allocate(&a, (int64_t)from->records * samples, sizeof *a));
    SEDGE_TRY_GOTO(status, sedge_allocate(&vt, (int64_t)least * samples, sizeof *vt));
    SEDGE_TRY_GOTO(status, sedge_allocate(&s, least, sizeof *s));
    SEDGE_TRY_GOTO(status, sedge_allocate(out, (int64_t)COMBINED * samples, sizeof **out));
    for (int i = 0; i < samples; i++) {
        for (int r = 0; r < from->records; r++)
            a[(int64_t)i * from->records + r] = from->values[(int64_t)r * from->count + begin + i];
    }
    SEDGE_TRY_GOTO(status, decompose(a, from->records, samples, s, vt));
    while (*combined < least && *combined < COMBINED && s[*combined] > ROUNDING * s[0]) ++*combined;
    for (int c = 0; c < *combined; c++) {
        for (int i = 0; i < samples; i++)
            (*out)[c * samples + i] = s[c] * vt[(int64_t)i * least + c];
    }
done:
    sedge_release(a);
    sedge_release(vt);
    sedge_release(s);
    return status;
}

// How many of the singular values [count] are not noise, at most `most`. The noise is the value at
// three quarters of the list.
static int find_rank(const double *s, int count, int most)
{
    const double floor = fmax(NOISE * s[(3 * count) / 4], ROUNDING * s[0]);
    int rank = 0;

    while (rank < most && s[rank] > floor) rank++;
    return rank;
}

// The space of rows: vt [length][least], its first `rank` rows count. The factors of its
// oscillations from one sample to the next.
static sedge_status find_factors(double complex *factors, const double complex *vt, int rank,
                                 int length, int least)
{
    const int rows = length - 1;
    double complex *a = NULL, *b = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&a, (int64_t)rank * rows, sizeof *a));
    SEDGE_TRY_GOTO(status, sedge_allocate(&b, (int64_t)rank * rows, sizeof *b));
    for (int c = 0; c < rank; c++) {
        for (int i = 0; i < rows; i++) {
            a[(int64_t)c * rows + i] = vt[(int64_t)i * least + c];
            b[(int64_t)c * rows + i] = vt[(int64_t)(i + 1) * least + c];
        }
    }
    SEDGE_TRY_GOTO(status, solve(a, rows, rank, b, rank));
    status = find_eigenvalues(b, rank, rows, factors);
done:
    sedge_release(a);
    sedge_release(b);
    return status;
}

// The factors [*count] of the oscillations in the first `samples` samples. The caller releases
// them.
static sedge_status find_pencil(double complex **factors, int *count, const filtered *from,
                                int begin, int samples)
{
    const int length = samples / 2 + 1;
    const int shifts = samples - length + 1;
    double complex *records = NULL, *a = NULL, *vt = NULL;
    double *s = NULL;
    int combined = 0;
    sedge_status status;

    *factors = NULL;
    *count = 0;
    SEDGE_TRY_GOTO(status, combine(&records, &combined, from, begin, samples));
    if (combined == 0) goto done;
    const int rows = combined * shifts;
    const int least = rows < length ? rows : length;
    SEDGE_TRY_GOTO(status, sedge_allocate(&a, (int64_t)rows * length, sizeof *a));
    SEDGE_TRY_GOTO(status, sedge_allocate(&vt, (int64_t)least * length, sizeof *vt));
    SEDGE_TRY_GOTO(status, sedge_allocate(&s, least, sizeof *s));
    for (int k = 0; k < length; k++) {
        for (int row = 0; row < rows; row++)
            a[(int64_t)k * rows + row] = records[row / shifts * samples + row % shifts + k];
    }
    SEDGE_TRY_GOTO(status, decompose(a, rows, length, s, vt));
    *count = find_rank(s, least, 3 * (length - 1) / 4);
    SEDGE_TRY_GOTO(status, sedge_allocate(factors, *count, sizeof **factors));
    if (*count > 0) status = find_factors(*factors, vt, *count, length, least);
done:
    sedge_release(records);
    sedge_release(a);
    sedge_release(vt);
    sedge_release(s);
    return status;
}

// ---- an estimate -------------------------------------------------------------------------------

// The oscillations in some samples of the filtered records.
typedef struct estimate {
    int begin, samples, count;
    double complex *factor;    // [count] from one sample to the next
    double complex *power;     // [count][samples]
    double complex *amplitude; // [records][count] of the powers
} estimate;

// The powers of a factor, of which the largest is 1: the first one, or the last one of a factor
// that grows.
static void fill_powers(double complex *power, double complex factor, int count)
{
    double complex now = 1.0;

    if (cabs(factor) <= 1.0) {
        for (int i = 0; i < count; i++, now *= factor) power[i] = now;
    } else {
        for (int i = count; i-- > 0; now /= factor) power[i] = now;
    }
}

// The amplitudes with which the powers are nearest to the filtered records.
static sedge_status find_amplitudes(estimate *out, const filtered *from)
{
    double complex *a = NULL, *b = NULL;
    const int64_t size = (int64_t)out->count * out->samples;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&out->power, size, sizeof *out->power));
    SEDGE_TRY_GOTO(status, sedge_allocate(&out->amplitude, (int64_t)from->records * out->count,
                                          sizeof(*out->amplitude)));
    SEDGE_TRY_GOTO(status, sedge_allocate(&a, size, sizeof *a));
    SEDGE_TRY_GOTO(status, sedge_allocate(&b, (int64_t)from->records * out->samples, sizeof *b));
    for (int c = 0; c < out->count; c++)
        fill_powers(out->power + (int64_t)c * out->samples, out->factor[c], out->samples);
    memcpy(a, out->power, (size_t)size * sizeof *a);
    for (int r = 0; r < from->records; r++) {
        memcpy(b + (int64_t)r * out->samples, from->values + (int64_t)r * from->count + out->begin,
               (size_t)out->samples * sizeof *b);
    }
    SEDGE_TRY_GOTO(status, solve(a, out->samples, out->count, b, from->records));
    for (int r = 0; r < from->records; r++) {
        memcpy(out->amplitude + (int64_t)r * out->count, b + (int64_t)r * out->samples,
               (size_t)out->count * sizeof *b);
    }
done:
    sedge_release(a);
    sedge_release(b);
    return status;
}

static sedge_status find_estimate(estimate *out, const filtered *from, int begin, int samples)
{
    *out = (estimate){.begin = begin, .samples = samples};
    SEDGE_TRY(find_pencil(&out->factor, &out->count, from, begin, samples));
    return out->count > 0 ? find_amplitudes(out, from) : SEDGE_OK;
}

static void clear_estimate(const estimate *what)
{
    sedge_release(what->factor);
    sedge_release(what->power);
    sedge_release(what->amplitude);
}

// The rate s of exp(s t) that a factor stands for.
static double complex find_rate(const filtered *from, double complex factor)
{
    return clog(factor) / from->interval + 2.0 * PI * J * from->centre;
}

// The rate of several oscillations together: that of one with which their sum is nearest to itself
// a sample later.
static double complex find_joint_rate(const filtered *from, const estimate *of, const int *list,
                                      int count)
{
    double complex product = 0.0;
    double square = 0.0;

    if (count == 1) return find_rate(from, of->factor[list[0]]);
    for (int r = 0; r < from->records; r++) {
        double complex before = 0.0;
        for (int i = 0; i < of->samples; i++) {
            double complex sum = 0.0;
            for (int k = 0; k < count; k++) {
                sum += of->amplitude[(int64_t)r * of->count + list[k]] *
                       of->power[(int64_t)list[k] * of->samples + i];
            }
            product += conj(before) * sum;
            if (i + 1 < of->samples) square += creal(conj(sum) * sum);
            before = sum;
        }
    }
    return find_rate(from, product / square);
}

// ---- what is an oscillation --------------------------------------------------------------------

// What the filter makes of exp(s t) at its first sample.
static double complex find_response(const filtered *from, double complex s)
{
    const double complex each = cexp(s * (from->interval / from->every));
    double complex sum = 0.0, power = 1.0;

    for (int k = 0; k < from->taps; k++, power *= each) sum += from->weight[k] * power;
    return sum;
}

// Are both estimates near enough to each other, and does it not grow?
static bool is_there(const sedge_mode *mode, double time)
{
    const double width = fmax(1.0 / time, fabs(mode->decay) / (2.0 * PI));

    return mode->error <= CERTAIN * width && mode->error <= MOST_CHANGE * mode->frequency &&
           mode->decay >= -2.0 * PI * mode->error;
}

// One of the first estimate's in the band.
typedef struct candidate {
    double complex rate;
    double change; // to the nearest one of the second estimate, / (2 pi)
    int factor;    // its number
} candidate;

static double frequency_of(double complex rate)
{
    return cimag(rate) / (2.0 * PI);
}

static int compare(const void *one, const void *other)
{
    const double a = frequency_of(((const candidate *)one)->rate);
    const double b = frequency_of(((const candidate *)other)->rate);

    return a < b ? -1 : a > b;
}

// Those in the band, list [first->count], by their frequencies. Returns how many they are.
static int list_candidates(candidate *list, const filtered *from, const estimate *first,
                           const estimate *second, const double band[2])
{
    int count = 0;

    for (int c = 0; c < first->count; c++) {
        candidate one = {find_rate(from, first->factor[c]), (double)INFINITY, c};
        const double frequency = frequency_of(one.rate);

        if (frequency < band[0] || frequency > band[1]) continue;
        for (int i = 0; i < second->count; i++) {
            const double change = cabs(find_rate(from, second->factor[i]) - one.rate) / (2.0 * PI);
            one.change = fmin(one.change, change);
        }
        list[count++] = one;
    }
    qsort(list, (size_t)count, sizeof *list, compare);
    return count;
}

// Does a candidate belong to those before it, list [count]? It does where it is no farther from one
// of them than what the estimates of both are worth.
static bool joins(const candidate *one, const candidate *list, int count, double resolution)
{
    for (int i = 0; i < count; i++) {
        const double far = JOINED * fmax(one->change, list[i].change);
        if (cabs(one->rate - list[i].rate) / (2.0 * PI) < fmin(far, resolution)) return true;
    }
    return false;
}

// The second estimate's rate of what is between two frequencies; infinite where nothing is.
static double complex find_second(const filtered *from, const estimate *second, double low,
                                  double high, int *list)
{
    int count = 0;

    for (int i = 0; i < second->count; i++) {
        const double frequency = frequency_of(find_rate(from, second->factor[i]));
        if (frequency >= low && frequency <= high) list[count++] = i;
    }
    return count > 0 ? find_joint_rate(from, second, list, count) : (double)INFINITY;
}

// The mode of candidates that belong together, and its amplitudes [records].
static sedge_status join(sedge_mode *mode, double complex *amplitude, const filtered *from,
                         const estimate *first, const estimate *second, const candidate *list,
                         int count, double resolution)
{
    const int most = first->count > second->count ? first->count : second->count;
    int *numbers = NULL;

    SEDGE_TRY(sedge_allocate(&numbers, most, sizeof *numbers));
    for (int i = 0; i < count; i++) numbers[i] = list[i].factor;
    const double complex rate = find_joint_rate(from, first, numbers, count);
    const double complex response = find_response(from, rate);
    *mode = (sedge_mode){frequency_of(rate), -creal(rate), list[0].change};
    for (int r = 0; r < from->records; r++) {
        amplitude[r] = 0.0;
        for (int i = 0; i < count; i++) {
            amplitude[r] += 2.0 / response *
                            first->amplitude[(int64_t)r * first->count + numbers[i]] *
                            first->power[(int64_t)numbers[i] * first->samples];
        }
    }
    if (count > 1) {
        const double low = frequency_of(list[0].rate) - resolution;
        const double high = frequency_of(list[count - 1].rate) + resolution;
        mode->error = cabs(find_second(from, second, low, high, numbers) - rate) / (2.0 * PI);
    }
    sedge_release(numbers);
    return SEDGE_OK;
}

// Put the modes in order; list [count] are the candidates.
static sedge_status choose(sedge_modes *out, const filtered *from, const estimate *first,
                           const estimate *second, const candidate *list, int count)
{
    const double resolution = NEAR / out->used;
    const double floor = LEAK * pow(10.0, -STOP / 20.0) * from->largest;

    for (int c = 0, next; c < count; c = next) {
        sedge_mode *const mode = &out->mode[out->count];
        double complex *const amplitude = out->amplitude + (int64_t)out->count * from->records;
        double largest = 0.0;

        for (next = c + 1; next < count && joins(&list[next], list + c, next - c, resolution);)
            next++;
        SEDGE_TRY(join(mode, amplitude, from, first, second, list + c, next - c, resolution));
        for (int r = 0; r < from->records; r++) largest = fmax(largest, cabs(amplitude[r]));
        if (largest <= floor) continue;
        if (is_there(mode, out->used)) {
            out->count++;
        } else {
            out->uncertain++;
        }
    }
    return SEDGE_OK;
}

static sedge_status find_modes(sedge_modes *out, const filtered *from, const double band[2])
{
    const int left = (int)(LEFT_OUT * from->count);
    estimate first = {0}, second = {0};
    candidate *list = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, find_estimate(&first, from, 0, from->count));
    SEDGE_TRY_GOTO(status, find_estimate(&second, from, left, from->count - 2 * left));
    SEDGE_TRY_GOTO(status, sedge_allocate(&list, first.count, sizeof *list));
    const int count = list_candidates(list, from, &first, &second, band);
    SEDGE_TRY_GOTO(status, sedge_allocate(&out->mode, count, sizeof *out->mode));
    SEDGE_TRY_GOTO(status, sedge_allocate(&out->amplitude, (int64_t)count * from->records,
                                          sizeof(*out->amplitude)));
    status = choose(out, from, &first, &second, list, count);
done:
    sedge_release(list);
    clear_estimate(&first);
    clear_estimate(&second);
    return status;
}

sedge_status sedge_modes_prepare(void)
{
    const sedge_lapack *lapack;

    return sedge_lapack_load(&lapack);
}

sedge_status sedge_modes_find(sedge_modes *out, const sedge_mode_record *record, double low,
                              double high)
{
    const double band[2] = {low, high};
    filtered from;

    *out = (sedge_modes){0};
    sedge_status status = filter(&from, record, low, high);
    if (status == SEDGE_OK && from.count >= LEAST && from.largest > 0.0) {
        out->used = record->interval * (from.taps - 1 + (double)from.every * (from.count - 1));
        out->whole = from.count == MOST;
        status = find_modes(out, &from, band);
    }
    clear(&from);
    return status;
}

void sedge_modes_clear(const sedge_modes *modes)
{
    sedge_release(modes->mode);
    sedge_release(modes->amplitude);
}
