// The equation's source S(u) as the function of a term, without memory and parameters (dg_term.h).
#pragma once

SEDGE_FUNCTION void sedge_source_local(const sedge_value *u, const sedge_value *w,
                                       const sedge_value *m, const sedge_value *p, const double *c,
                                       double t, sedge_value *du, sedge_value *dw)
{
    SEDGE_EACH (f, SEDGE_FIELDS) du[f] = SEDGE_SPLAT(0.0);
    SEDGE_SOURCE(u, m, c, du);
    (void)w, (void)p, (void)t, (void)dw;
}
