// Declarations shared by the files of this folder: the positions of each kind's parameters in its
// flat array, and the functions that the tables of maxwell.c refer to.
#pragma once

#include "dg/problem.h"

#include "maxwell_physics.h"

#define VACUUM_OHMS 376.730313668 // eta0

// Parameters of the plane wave, as a source and as an initial state.
enum {
    WAVE_DIRECTION = 0,
    WAVE_POLARISATION = 3,
    WAVE_ORIGIN = 6,
    WAVE_SIGNAL = 9,
};
#define MAXWELL_WAVE_PARAMETERS 4
extern const sedge_parameter maxwell_wave_parameters[MAXWELL_WAVE_PARAMETERS];

// Of the cavity mode.
enum {
    CAVITY_MODE = 0,
    CAVITY_SIZE = 3,
    CAVITY_ORIGIN = 6,
    CAVITY_AMPLITUDE = 9,
};

// Of the periodic wave.
enum {
    PERIODIC_WAVES = 0,
    PERIODIC_PERIOD = 3,
    PERIODIC_POLARISATION = 6,
    PERIODIC_PHASE = 9, // behind the deck's
};

// Of the mode of a box with two layers.
enum {
    LAYERED_MODE = 0,
    LAYERED_SIZE = 3,
    LAYERED_ORIGIN = 6,
    LAYERED_SPLIT = 9,
    LAYERED_BELOW = 10,
    LAYERED_ABOVE = 11,
};

// Of the mode of a ball.
enum {
    BALL_RADIUS = 0,
    BALL_CENTRE = 1,
    BALL_AXIS = 4,
};

#define MAXWELL_INITIALS 6
extern const sedge_initial_kind maxwell_initials[MAXWELL_INITIALS];

// The amplitude of a cavity mode without its part along the wave vector `k`, which is set too.
void maxwell_cavity_amplitude(const double *p, double k[3], double amplitude[3]);

extern const sedge_library_material maxwell_library[];
extern const sedge_shorthand maxwell_shorthands[];

sedge_contradiction maxwell_contradiction(const sedge_problem *problem);

double maxwell_quiet(const sedge_problem *problem, double bounds[2][3]);

// What leaves an element at a surface, e + Z g (maxwell/sheets/sheet_face.h), by its fields u
// there.
void maxwell_leaving_wave(double wave[3], const double *m, const double *n, const double *u);

// The mean power that an area of a wall takes, by the real and the imaginary part of its impedance
// for fields exp(i omega t): what `loss` of the walls' kinds needs besides.
double maxwell_wall_loss(const double *m, const double *n, const double *re, const double *im,
                         double resistance, double reactance);
