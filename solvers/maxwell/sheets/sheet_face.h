// Laws of walls and of sheets inside the mesh: what is thin beside the wavelength, and follows from
// the tangential fields at one place.
//
// e is the tangential E, g = H x n of the own side's outward normal n: e.g is the power that enters
// the surface. What leaves the own side, e + Z g, does not change at the surface, so a law gives
// its state there, e* and g* = (e + Z g - e*) / Z. Of the other side, whose normal is -n, g is
// taken with its own normal, too. All in fp64: states are small differences where a wall conducts.
#pragma once

// e and g of the fields w.
SEDGE_FUNCTION void sheet_tangential(const sedge_real *w, const sedge_real *n, double sign,
                                     double *e, double *g)
{
    const double along =
        (double)n[0] * (double)w[0] + (double)n[1] * (double)w[1] + (double)n[2] * (double)w[2];

    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        const int k = (i + 2) % 3;
        e[i] = (double)w[i] - (double)n[i] * along;
        g[i] = sign * ((double)w[3 + j] * (double)n[k] - (double)w[3 + k] * (double)n[j]);
    }
}

// The trace v behind the surface, from e and the state e* there: jumps 2 / (1 + alpha) times
// (e - e*, g - g*) give exactly this state, whatever alpha (maxwell_wall).
SEDGE_FUNCTION void sheet_trace(const sedge_real *u, const double *e, const double *state,
                                const sedge_real *m, const sedge_real *n, const double *c,
                                sedge_real *v)
{
    const double twice = 2.0 / (1.0 + c[MAXWELL_UPWIND]);
    double d[3];

    for (int i = 0; i < 3; i++) d[i] = twice * (e[i] - state[i]);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        const int k = (i + 2) % 3;
        v[i] = u[i] - (sedge_real)d[i];
        v[3 + i] = u[3 + i] +
                   (sedge_real)((double)m[MAXWELL_Y] * ((double)n[j] * d[k] - (double)n[k] * d[j]));
    }
}

// What drives a sheet with Y = 1 / Z: the current S that the waves would make in a short circuit,
// S = Y (e + Z g) + Y' (e' + Z' g'). The sheet's own current, the jump of g, is S - (Y + Y') e*.
SEDGE_FUNCTION void sheet_drive(const sedge_real *u, const sedge_real *w, const sedge_real *mu,
                                const sedge_real *mw, const sedge_real *n, const double *x,
                                double t, const double *c, double *e, double *drive)
{
    sedge_real own[6], other[6];
    double g[3], e_other[3], g_other[3];

    maxwell_total(u, mu, x, t, c, own);
    maxwell_total(w, mw, x, t, c, other);
    sheet_tangential(own, n, 1.0, e, g);
    sheet_tangential(other, n, -1.0, e_other, g_other);
    for (int i = 0; i < 3; i++) {
        drive[i] =
            (double)mu[MAXWELL_Y] * e[i] + g[i] + (double)mw[MAXWELL_Y] * e_other[i] + g_other[i];
    }
}

// ---- without memory ----------------------------------------------------------------------------

enum { SHEET_RESISTANCE = 3 }; // in p, behind those of the deck

// A sheet with the surface resistance R: e* (Y + Y' + 1/R) = S.
SEDGE_FUNCTION void maxwell_sheet(const sedge_real *u, const sedge_real *w, const sedge_real *mu,
                                  const sedge_real *mw, const sedge_real *n, const double *x,
                                  double t, const double *p, const double *c, sedge_real *v)
{
    const double y = (double)mu[MAXWELL_Y] + (double)mw[MAXWELL_Y];
    double e[3], drive[3], state[3];

    sheet_drive(u, w, mu, mw, n, x, t, c, e, drive);
    for (int i = 0; i < 3; i++) state[i] = drive[i] / (y + 1.0 / p[SHEET_RESISTANCE]);
    sheet_trace(u, e, state, mu, n, c, v);
}

// The magnetic twin: the jump of e is p[0] = R times g, which is continuous: g' = -g and
//   g* (Z + Z' + R) = (e + Z g) - (e' + Z' g').
SEDGE_FUNCTION void maxwell_magnetic_sheet(const sedge_real *u, const sedge_real *w,
                                           const sedge_real *mu, const sedge_real *mw,
                                           const sedge_real *n, const double *x, double t,
                                           const double *p, const double *c, sedge_real *v)
{
    sedge_real own[6], other[6];
    double e[3], g[3], e_other[3], g_other[3], state[3];
    const double z = (double)mu[MAXWELL_Z];
    const double z_other = (double)mw[MAXWELL_Z];

    maxwell_total(u, mu, x, t, c, own);
    maxwell_total(w, mw, x, t, c, other);
    sheet_tangential(own, n, 1.0, e, g);
    sheet_tangential(other, n, -1.0, e_other, g_other);
    for (int i = 0; i < 3; i++) {
        const double wave = e[i] + z * g[i];
        state[i] = wave - z * (wave - e_other[i] - z_other * g_other[i]) / (z + z_other + p[0]);
    }
    sheet_trace(u, e, state, mu, n, c, v);
}

// ---- with memory -------------------------------------------------------------------------------

// A sheet whose electrons are slow: its current j follows from tau j' = e*/R - j, with R and tau in
// p, behind up to three of the deck.
enum { DRUDE_RESISTANCE = 3, DRUDE_TIME };

SEDGE_FUNCTION void maxwell_drude_sheet(const sedge_real *u, const sedge_real *w,
                                        const sedge_real *mu, const sedge_real *mw,
                                        const sedge_real *n, const double *x, double t,
                                        const double *p, const double *c, const sedge_real *memory,
                                        sedge_real *v, sedge_real *rate)
{
    const double y = (double)mu[MAXWELL_Y] + (double)mw[MAXWELL_Y];
    double e[3], drive[3], state[3];

    sheet_drive(u, w, mu, mw, n, x, t, c, e, drive);
    for (int i = 0; i < 3; i++) {
        const double j = (double)memory[i];
        state[i] = (drive[i] - j) / y;
        rate[i] = (sedge_real)((state[i] / p[DRUDE_RESISTANCE] - j) / p[DRUDE_TIME]);
    }
    sheet_trace(u, e, state, mu, n, c, v);
}

// A sheet that consists of a resistor, an inductor and a capacitor in series or side by side: R, L
// and C per square.
enum { CIRCUIT_RESISTANCE, CIRCUIT_INDUCTANCE, CIRCUIT_CAPACITANCE, CIRCUIT_DIRECTION };

// In series: L i' = e* - R i - v, C v' = i, with the current i and the voltage v of the capacitor
// in the memory. Without an inductor the current follows: i = (S - (Y + Y') v) / (1 + (Y + Y') R).
// Without a capacitor v is 0.
SEDGE_FUNCTION void maxwell_series_sheet(const sedge_real *u, const sedge_real *w,
                                         const sedge_real *mu, const sedge_real *mw,
                                         const sedge_real *n, const double *x, double t,
                                         const double *p, const double *c, const sedge_real *memory,
                                         sedge_real *v, sedge_real *rate)
{
    const double y = (double)mu[MAXWELL_Y] + (double)mw[MAXWELL_Y];
    const double r = p[CIRCUIT_RESISTANCE];
    const double l = p[CIRCUIT_INDUCTANCE];
    double e[3], drive[3], state[3];

    sheet_drive(u, w, mu, mw, n, x, t, c, e, drive);
    for (int i = 0; i < 3; i++) {
        const double voltage = (double)memory[3 + i];
        const double current =
            l > 0.0 ? (double)memory[i] : (drive[i] - y * voltage) / (1.0 + y * r);
        state[i] = (drive[i] - current) / y;
        rate[i] = (sedge_real)(l > 0.0 ? (state[i] - r * current - voltage) / l : 0.0);
        rate[3 + i] =
            (sedge_real)(p[CIRCUIT_CAPACITANCE] > 0.0 ? current / p[CIRCUIT_CAPACITANCE] : 0.0);
    }
    sheet_trace(u, e, state, mu, n, c, v);
}

// Side by side: C e*' = S - (Y + Y' + 1 / R) e* - j, L j' = e*, with the inductor's current j and
// e* in the memory. Without a capacitor e* follows; without an inductor j is 0.
SEDGE_FUNCTION void maxwell_parallel_sheet(const sedge_real *u, const sedge_real *w,
                                           const sedge_real *mu, const sedge_real *mw,
                                           const sedge_real *n, const double *x, double t,
                                           const double *p, const double *c,
                                           const sedge_real *memory, sedge_real *v,
                                           sedge_real *rate)
{
    const double conductance = p[CIRCUIT_RESISTANCE] > 0.0 ? 1.0 / p[CIRCUIT_RESISTANCE] : 0.0;
    const double y = (double)mu[MAXWELL_Y] + (double)mw[MAXWELL_Y] + conductance;
    const double capacitance = p[CIRCUIT_CAPACITANCE];
    double e[3], drive[3], state[3];

    sheet_drive(u, w, mu, mw, n, x, t, c, e, drive);
    for (int i = 0; i < 3; i++) {
        const double left = drive[i] - (double)memory[i];
        state[i] = capacitance > 0.0 ? (double)memory[3 + i] : left / y;
        rate[i] =
            (sedge_real)(p[CIRCUIT_INDUCTANCE] > 0.0 ? state[i] / p[CIRCUIT_INDUCTANCE] : 0.0);
        rate[3 + i] = (sedge_real)(capacitance > 0.0 ? (left - y * state[i]) / capacitance : 0.0);
    }
    sheet_trace(u, e, state, mu, n, c, v);
}

// What p holds behind the deck's parameters of walls and films: how many poles, the error of the
// fit, the band, and the impedances c + sum_k c_k s / (s + p_k); a wall has the first one only.
enum {
    WALL_POLES = 5,
    WALL_ERROR,
    WALL_LOWEST,
    WALL_HIGHEST,
    WALL_CONSTANT,                 // of both impedances
    WALL_POLE = WALL_CONSTANT + 2, // p_k, c_k of the first, c_k of the second; the next pole
    WALL_MOST = 7                  // poles
};

// A wall with that impedance. s / (s + p) g = g - q with q' = p (g - q), so that
//   e* = (c + sum c_k) g* - sum c_k q_k  with  e* = e + Z g - Z g*.
SEDGE_FUNCTION void maxwell_conductor(const sedge_real *u, const sedge_real *m, const sedge_real *n,
                                      const double *x, double t, const double *p, const double *c,
                                      const sedge_real *memory, sedge_real *v, sedge_real *rate)
{
    const int poles = (int)p[WALL_POLES];
    const double z = (double)m[MAXWELL_Z];
    sedge_real w[6];
    double e[3], g[3], state[3];

    maxwell_total(u, m, x, t, c, w);
    sheet_tangential(w, n, 1.0, e, g);
    for (int i = 0; i < 3; i++) {
        const double wave = e[i] + z * g[i];
        double sum = wave;
        double impedance = z + p[WALL_CONSTANT];
        for (int k = 0; k < poles; k++) {
            sum += p[WALL_POLE + 3 * k + 1] * (double)memory[3 * k + i];
            impedance += p[WALL_POLE + 3 * k + 1];
        }
        const double current = sum / impedance; // g*
        state[i] = wave - z * current;
        for (int k = 0; k < WALL_MOST; k++) {
            const double pole = k < poles ? p[WALL_POLE + 3 * k] : 0.0;
            rate[3 * k + i] = (sedge_real)(pole * (current - (double)memory[3 * k + i]));
        }
    }
    sheet_trace(u, e, state, m, n, c, v);
}

// A wall with the impedance c + sum_k c_k s / (s + p_k) + sum_m Z_m, in p: the terms as above, and
// resonant circuits Z_m: a capacitor C with a resistor 1 / G beside it, and beside both an inductor
// L with a resistor r in series. The voltage U of the capacitor and the current J of the inductor
// follow from
//   C U' = g* - G U - J,  L J' = U - r J,  and  e* = (c + sum c_k) g* - sum c_k q_k + sum U_m.
// The memory has the q_k, then U and J of each circuit. What is not there has 0 in p.
enum {
    RATIONAL_TERMS = 3,
    RATIONAL_PAIRS = 3, // of poles: circuits
    RATIONAL_CONSTANT = 0,
    RATIONAL_RESISTANCE, // c_k
    RATIONAL_POLE = RATIONAL_RESISTANCE + RATIONAL_TERMS,
    RATIONAL_INVERSE_C = RATIONAL_POLE + RATIONAL_TERMS,      // 1 / C
    RATIONAL_INVERSE_L = RATIONAL_INVERSE_C + RATIONAL_PAIRS, // 1 / L
    RATIONAL_LEAK = RATIONAL_INVERSE_L + RATIONAL_PAIRS,      // G / C
    RATIONAL_LOSS = RATIONAL_LEAK + RATIONAL_PAIRS,           // r / L
    RATIONAL_VALUES = RATIONAL_LOSS + RATIONAL_PAIRS,
    RATIONAL_MEMORY = 3 * RATIONAL_TERMS + 6 * RATIONAL_PAIRS
};

SEDGE_FUNCTION void maxwell_rational(const sedge_real *u, const sedge_real *m, const sedge_real *n,
                                     const double *x, double t, const double *p, const double *c,
                                     const sedge_real *memory, sedge_real *v, sedge_real *rate)
{
    const double z = (double)m[MAXWELL_Z];
    double impedance = z + p[RATIONAL_CONSTANT];
    sedge_real w[6];
    double e[3], g[3], state[3];

    maxwell_total(u, m, x, t, c, w);
    sheet_tangential(w, n, 1.0, e, g);
    for (int k = 0; k < RATIONAL_TERMS; k++) impedance += p[RATIONAL_RESISTANCE + k];
    for (int i = 0; i < 3; i++) {
        const double wave = e[i] + z * g[i];
        double sum = wave;
        for (int k = 0; k < RATIONAL_TERMS; k++)
            sum += p[RATIONAL_RESISTANCE + k] * (double)memory[3 * k + i];
        for (int k = 0; k < RATIONAL_PAIRS; k++)
            sum -= (double)memory[3 * RATIONAL_TERMS + 6 * k + i];
        const double current = sum / impedance; // g*
        state[i] = wave - z * current;
        for (int k = 0; k < RATIONAL_TERMS; k++) {
            rate[3 * k + i] =
                (sedge_real)(p[RATIONAL_POLE + k] * (current - (double)memory[3 * k + i]));
        }
        for (int k = 0; k < RATIONAL_PAIRS; k++) {
            const int at = 3 * RATIONAL_TERMS + 6 * k + i;
            const double voltage = (double)memory[at];
            const double inductor = (double)memory[at + 3];
            rate[at] = (sedge_real)(p[RATIONAL_INVERSE_C + k] * (current - inductor) -
                                    p[RATIONAL_LEAK + k] * voltage);
            rate[at + 3] =
                (sedge_real)(p[RATIONAL_INVERSE_L + k] * voltage - p[RATIONAL_LOSS + k] * inductor);
        }
    }
    sheet_trace(u, e, state, m, n, c, v);
}

// A film that fields pass: half the sum of e on both sides is the first impedance times half the
// sum of g, half the difference the second one times half the difference. The memory has the first
// one's q_k, then the second one's, whose signs differ between the sides.
SEDGE_FUNCTION void maxwell_film(const sedge_real *u, const sedge_real *w, const sedge_real *mu,
                                 const sedge_real *mw, const sedge_real *n, const double *x,
                                 double t, const double *p, const double *c,
                                 const sedge_real *memory, sedge_real *v, sedge_real *rate)
{
    const int poles = (int)p[WALL_POLES];
    const double z = (double)mu[MAXWELL_Z];
    const double z_other = (double)mw[MAXWELL_Z];
    double impedance[2] = {p[WALL_CONSTANT], p[WALL_CONSTANT + 1]};
    sedge_real own[6], other[6];
    double e[3], g[3], e_other[3], g_other[3], state[3];

    maxwell_total(u, mu, x, t, c, own);
    maxwell_total(w, mw, x, t, c, other);
    sheet_tangential(own, n, 1.0, e, g);
    sheet_tangential(other, n, -1.0, e_other, g_other);
    for (int k = 0; k < poles; k++) {
        impedance[0] += p[WALL_POLE + 3 * k + 1];
        impedance[1] += p[WALL_POLE + 3 * k + 2];
    }
    const double a = z + impedance[0];
    const double b = z_other + impedance[0];
    const double a_odd = z + impedance[1];
    const double b_odd = z_other + impedance[1];
    for (int i = 0; i < 3; i++) {
        const double wave = e[i] + z * g[i];
        const double wave_other = e_other[i] + z_other * g_other[i];
        // a g + b g' = even and a_odd g - b_odd g' = odd give g* and g'* of the two sides.
        double even = wave + wave_other;
        double odd = wave - wave_other;
        for (int k = 0; k < poles; k++) {
            even += 2.0 * p[WALL_POLE + 3 * k + 1] * (double)memory[6 * k + i];
            odd += 2.0 * p[WALL_POLE + 3 * k + 2] * (double)memory[6 * k + 3 + i];
        }
        const double determinant = a * b_odd + b * a_odd;
        const double current = (even * b_odd + odd * b) / determinant;
        const double current_other = (even * a_odd - odd * a) / determinant;
        state[i] = wave - z * current;
        for (int k = 0; k < WALL_MOST; k++) {
            const double pole = k < poles ? p[WALL_POLE + 3 * k] : 0.0;
            rate[6 * k + i] =
                (sedge_real)(pole * (0.5 * (current + current_other) - (double)memory[6 * k + i]));
            rate[6 * k + 3 + i] = (sedge_real)(pole * (0.5 * (current - current_other) -
                                                       (double)memory[6 * k + 3 + i]));
        }
    }
    sheet_trace(u, e, state, mu, n, c, v);
}

// ---- ports -------------------------------------------------------------------------------------

// A sheet with the conductance G per square and a current K that a source drives in it: the field
// of the port's mode times `gain` times the source's signal. e* (Y + Y' + G) = S + K. In p, behind
// the kind's parameters:
enum {
    PORT_PROFILE = 12, // what the mode's field is, as below
    PORT_ORIGIN,       // of a ring the centre, of a rectangle a corner
    PORT_U = PORT_ORIGIN + 3,
    PORT_V = PORT_U + 3,
    PORT_KU = PORT_V + 3,
    PORT_LINE = PORT_KU, // of PORT_FOUND_LINE: the line's impedance
    PORT_KV,
    PORT_INDEX = PORT_KV, // of PORT_FOUND_LINE: the speed in vacuum by that of the line's wave
    PORT_SCALE,
    PORT_SQUARES = PORT_SCALE, // of PORT_FOUND_LINE: the integral of the field squared
    PORT_CONDUCTANCE,
    PORT_GAIN,
    PORT_VOLUME, // the volume group on its first side
    PORT_SIGNAL, // all 0: nothing drives the port
    PORT_VALUES = PORT_SIGNAL + SEDGE_SIGNAL_VALUES
};
enum {
    PORT_UNIFORM,  // U; V is the normal
    PORT_RING,     // radial across the axis V: scale / r
    PORT_TE,       // of H along the guide ~ cos(ku s) cos(kv q), s along U, q along V
    PORT_TM,       // of E along the guide ~ sin(ku s) sin(kv q)
    PORT_ROUND_TE, // of H along the guide ~ J_m(ku r) sin(m angle), m = kv, the angle from U to V
    PORT_ROUND_TM, // of E along the guide ~ J_m(ku r) cos(m angle)
    // The problem has the field (port_field.c), and what drives the port acts elsewhere.
    PORT_FOUND_TE,
    PORT_FOUND_TM,
    PORT_FOUND_TEM,
    PORT_FOUND_LINE,
    PORT_FOUND_HYBRID
};

// J_m(x) / (x / 2)^m by its series: to 1e-10 up to x = 12, where its terms are 1e5 at most.
SEDGE_FUNCTION double maxwell_port_bessel(int m, double x)
{
    double term = 1.0, sum;

    for (int k = 1; k <= m; k++) term /= (double)k;
    sum = term;
    for (int k = 1; k < 40; k++) {
        term *= -0.25 * x * x / ((double)k * (double)(k + m));
        sum += term;
    }
    return sum;
}

// The field of a round guide at s, q from its axis, along U and V. With f = J_m(k r) cos(m angle),
// for TE sin, E is the gradient of f for TM, and that turned by -90 degrees for TE. f is b(k r) h
// with b of the function above and h = Re or Im z^m, z = (s + i q) k / 2, so that it has no 0 / 0;
// db/dr = -b_(m + 1) k^2 r / 2.
SEDGE_FUNCTION void maxwell_port_round(double s, double q, const double *p, double *along)
{
    const int m = (int)p[PORT_KV];
    const double k = p[PORT_KU];
    const double x = k * sqrt(s * s + q * q);
    const double b = maxwell_port_bessel(m, x);
    const double slope = -0.5 * k * k * maxwell_port_bessel(m + 1, x); // db/dr by r
    double re = 1.0, im = 0.0, d_re = 0.0, d_im = 0.0; // z^m and its derivative by s

    for (int i = 0; i < m; i++) {
        const double more = 0.5 * k * (re * s - im * q);
        d_re = 0.5 * k * (double)m * re;
        d_im = 0.5 * k * (double)m * im;
        im = 0.5 * k * (re * q + im * s);
        re = more;
    }
    if ((int)p[PORT_PROFILE] == PORT_ROUND_TM) {
        along[0] = slope * s * re + b * d_re;
        along[1] = slope * q * re - b * d_im;
    } else if (m > 0) {
        along[0] = slope * q * im + b * d_re;
        along[1] = -slope * s * im - b * d_im;
    } else {
        along[0] = slope * q;
        along[1] = -slope * s;
    }
}

// The mode's field at x.
SEDGE_FUNCTION void maxwell_port_mode(const double *x, const double *p, double *e)
{
    const int profile = (int)p[PORT_PROFILE];
    const double *const u = p + PORT_U;
    const double *const v = p + PORT_V;
    double s = 0.0, q = 0.0, r[3], square = 0.0;

    for (int i = 0; i < 3; i++) {
        r[i] = x[i] - p[PORT_ORIGIN + i];
        s += r[i] * u[i];
        q += r[i] * v[i];
    }
    if (profile >= PORT_FOUND_TE) {
        for (int i = 0; i < 3; i++) e[i] = 0.0;
    } else if (profile == PORT_UNIFORM) {
        for (int i = 0; i < 3; i++) e[i] = u[i];
    } else if (profile == PORT_RING) {
        for (int i = 0; i < 3; i++) {
            r[i] -= q * v[i];
            square += r[i] * r[i];
        }
        for (int i = 0; i < 3; i++) e[i] = p[PORT_SCALE] * r[i] / square;
    } else if (profile == PORT_ROUND_TE || profile == PORT_ROUND_TM) {
        double along[2];

        maxwell_port_round(s, q, p, along);
        for (int i = 0; i < 3; i++) e[i] = p[PORT_SCALE] * (along[0] * u[i] + along[1] * v[i]);
    } else {
        const double ku = p[PORT_KU];
        const double kv = p[PORT_KV];
        const double along_u = p[PORT_SCALE] * cos(ku * s) * sin(kv * q);
        const double along_v = p[PORT_SCALE] * sin(ku * s) * cos(kv * q);
        const double of_u = profile == PORT_TE ? -kv : ku;
        const double of_v = profile == PORT_TE ? ku : kv;
        for (int i = 0; i < 3; i++) e[i] = of_u * along_u * u[i] + of_v * along_v * v[i];
    }
}

// The state e* from the drive S and the sum of the admittances.
SEDGE_FUNCTION void maxwell_port_state(const double *drive, double y, const double *x, double t,
                                       const double *p, double *state)
{
    double mode[3], k = 0.0;

    maxwell_port_mode(x, p, mode);
    if (p[PORT_SIGNAL + 1] < 0.0 || p[PORT_SIGNAL + 1] > 0.0)
        k = p[PORT_GAIN] * sedge_signal(p + PORT_SIGNAL, t);
    for (int i = 0; i < 3; i++) state[i] = (drive[i] + k * mode[i]) / (y + p[PORT_CONDUCTANCE]);
}

SEDGE_FUNCTION void maxwell_port(const sedge_real *u, const sedge_real *w, const sedge_real *mu,
                                 const sedge_real *mw, const sedge_real *n, const double *x,
                                 double t, const double *p, const double *c, sedge_real *v)
{
    double e[3], drive[3], state[3];

    sheet_drive(u, w, mu, mw, n, x, t, c, e, drive);
    maxwell_port_state(drive, (double)mu[MAXWELL_Y] + (double)mw[MAXWELL_Y], x, t, p, state);
    sheet_trace(u, e, state, mu, n, c, v);
}

// On the outside of the mesh: behind it is a magnetic wall.
SEDGE_FUNCTION void maxwell_port_outside(const sedge_real *u, const sedge_real *m,
                                         const sedge_real *n, const double *x, double t,
                                         const double *p, const double *c, sedge_real *v)
{
    const double y = (double)m[MAXWELL_Y];
    sedge_real w[6];
    double e[3], g[3], state[3];

    maxwell_total(u, m, x, t, c, w);
    sheet_tangential(w, n, 1.0, e, g);
    for (int i = 0; i < 3; i++) g[i] += y * e[i];
    maxwell_port_state(g, y, x, t, p, state);
    sheet_trace(u, e, state, m, n, c, v);
}
