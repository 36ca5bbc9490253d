#include "network/network.h"

#include "base/memory.h"

#include <math.h>
#include <stddef.h>

static const double complex *matrix_at(const sedge_network *network, int f)
{
    return network->s + (ptrdiff_t)f * network->ports * network->ports;
}

static bool is_finite(double complex value)
{
    return isfinite(creal(value)) && isfinite(cimag(value));
}

static double square(double complex value)
{
    return creal(value) * creal(value) + cimag(value) * cimag(value);
}

bool sedge_network_is_valid(const sedge_network *network, int f)
{
    const double complex *const s = matrix_at(network, f);

    for (int k = 0; k < network->ports * network->ports; k++) {
        if (!is_finite(s[k])) return false;
    }
    return true;
}

double sedge_network_asymmetry(const sedge_network *network, int f)
{
    const double complex *const s = matrix_at(network, f);
    const int n = network->ports;
    double largest = 0.0;

    if (!sedge_network_is_valid(network, f)) return (double)NAN;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) largest = fmax(largest, cabs(s[i * n + j] - s[j * n + i]));
    }
    return largest;
}

double sedge_network_power(const sedge_network *network, int f, int j)
{
    const double complex *const s = matrix_at(network, f);
    double sum = 0.0;

    for (int i = 0; i < network->ports; i++) sum += square(s[i * network->ports + j]);
    return sum;
}

// ---- small matrices ----------------------------------------------------------------------------

// Eliminate below the diagonal in column k of `m` [n][n], with the same steps on `right` [n][n].
static void eliminate(double complex *m, double complex *right, int n, int k)
{
    int pivot = k;

    for (int i = k + 1; i < n; i++) {
        if (square(m[i * n + k]) > square(m[pivot * n + k])) pivot = i;
    }
    for (int j = 0; j < n; j++) {
        const double complex row[2] = {m[k * n + j], right[k * n + j]};

        m[k * n + j] = m[pivot * n + j];
        right[k * n + j] = right[pivot * n + j];
        m[pivot * n + j] = row[0];
        right[pivot * n + j] = row[1];
    }
    for (int i = k + 1; i < n; i++) {
        const double complex factor = m[i * n + k] / m[k * n + k];

        for (int j = 0; j < n; j++) {
            m[i * n + j] -= factor * m[k * n + j];
            right[i * n + j] -= factor * right[k * n + j];
        }
    }
}

// m x = right, all [n][n]; x in place of `right`, m is destroyed.
static void solve(double complex *m, double complex *right, int n)
{
    for (int k = 0; k < n; k++) eliminate(m, right, n, k);
    for (int i = n - 1; i >= 0; i--) {
        for (int j = 0; j < n; j++) {
            double complex sum = right[i * n + j];

            for (int k = i + 1; k < n; k++) sum -= m[i * n + k] * right[k * n + j];
            right[i * n + j] = sum / m[i * n + i];
        }
    }
}

static void transpose(double complex *m, int n)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            const double complex other = m[i * n + j];
            m[i * n + j] = m[j * n + i];
            m[j * n + i] = other;
        }
    }
}

void sedge_network_divide(double complex *b, double complex *a, int ports)
{
    transpose(a, ports);
    transpose(b, ports);
    solve(a, b, ports);
    transpose(b, ports);
}

// ---- other references --------------------------------------------------------------------------

// With the diagonal matrices P = (after - before) / (after + before) and A = 2 sqrt(after before) /
// (after + before): S' = A^-1 (S - P) (1 - P S)^-1 A, of K. Kurokawa, IEEE Trans. Microwave Theory
// Tech. 13 (1965) 194, for real references.
sedge_status sedge_network_renormalise(double complex *s, int ports, const double *before,
                                       const double *after)
{
    const int n = ports;
    double complex *work = NULL;
    double *factors = NULL; // P, then A
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&work, 2 * (int64_t)n * n, sizeof *work));
    SEDGE_TRY_GOTO(status, sedge_allocate(&factors, 2 * (int64_t)n, sizeof *factors));
    double complex *const x = work;                    // S - P, then times the inverse of 1 - P S
    double complex *const m = work + (ptrdiff_t)n * n; // 1 - P S
    double *const reflection = factors;
    double *const scale = factors + n;
    for (int i = 0; i < n; i++) {
        const bool kept = before[i] == after[i];

        reflection[i] = kept ? 0.0 : (after[i] - before[i]) / (after[i] + before[i]);
        scale[i] = kept ? 1.0 : 2.0 * sqrt(after[i] * before[i]) / (after[i] + before[i]);
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            x[i * n + j] = s[i * n + j] - (i == j ? reflection[i] : 0.0);
            m[i * n + j] = (i == j ? 1.0 : 0.0) - reflection[i] * s[i * n + j];
        }
    }
    sedge_network_divide(x, m, n);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) s[i * n + j] = x[i * n + j] * scale[j] / scale[i];
    }
    status = SEDGE_OK;
done:
    sedge_release(work);
    sedge_release(factors);
    return status;
}
