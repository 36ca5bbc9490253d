// The sections of the deck: one function for each checks its part of the tree and fills the struct.
// The sections that deck_read.c reads itself are not here.
#pragma once

#include "deck.h"
#include "deck_check.h"

// These are called after the top level, the mesh and the time are read, in this order, because
// later sections use the results of earlier ones.
SEDGE_MUST_USE
sedge_status deck_read_materials(const deck_reader *reader, sedge_deck *deck);
SEDGE_MUST_USE
sedge_status deck_read_boundaries(const deck_reader *reader, sedge_deck *deck);
SEDGE_MUST_USE
sedge_status deck_read_initial(const deck_reader *reader, sedge_deck *deck);
SEDGE_MUST_USE
sedge_status deck_read_sources(const deck_reader *reader, sedge_deck *deck);
SEDGE_MUST_USE
sedge_status deck_read_monitors(const deck_reader *reader, sedge_deck *deck);

// The closed surfaces of mesh.surfaces; called after the rest of `mesh` has been read.
SEDGE_MUST_USE
sedge_status deck_read_surfaces(const deck_reader *reader, sedge_deck *deck);

// Groups by an image, mesh.labels; called after the rest of `mesh` has been read.
SEDGE_MUST_USE
sedge_status deck_read_labels(const deck_reader *reader, sedge_deck *deck);

// Numbers of materials that vary in space, materials.NAME.KEY: {file, dataset}. In the material's
// values each has 1 in its place. After deck_values has read the numbers.
SEDGE_MUST_USE
sedge_status deck_read_grids(const deck_reader *reader, sedge_deck *deck);

// Release what deck_read_labels and deck_read_grids have made.
void deck_free_images(sedge_deck *deck);

// The path of the file that `node` names, relative to the deck's folder; the caller releases
// `*out`. In the resolved deck it is absolute, so that the deck can be run from its new place.
SEDGE_MUST_USE
sedge_status deck_resolve_file(char **out, const sedge_deck *deck, deck_node *node);

// Read what a surface's entry says of it; `where` is the entry's path.
SEDGE_MUST_USE
sedge_status deck_read_surface(const deck_reader *reader, const deck_node *node, const char *where,
                               sedge_deck_surface *surface);

// Read the frequencies of an entry: its own or the default ones; none where neither are given.
SEDGE_MUST_USE
sedge_status deck_read_frequencies(const deck_reader *reader, const sedge_deck *deck,
                                   const deck_node *node, const char *where,
                                   sedge_deck_frequencies *out);

// The section monitors.far-field, after deck_read_spectra; and `exact`.
SEDGE_MUST_USE
sedge_status deck_read_far_fields(const deck_reader *reader, sedge_deck *deck,
                                  const deck_node *monitors);
SEDGE_MUST_USE
sedge_status deck_read_exact(const deck_reader *reader, sedge_deck *deck);

// The parts of `monitors` that concern frequencies: frequencies, spectra, flux, absorption.
SEDGE_MUST_USE
sedge_status deck_read_spectra(const deck_reader *reader, sedge_deck *deck,
                               const deck_node *monitors);
void deck_free_spectra(sedge_deck *deck);

// Read named points; `path` is that of the section. The caller releases `*out`.
SEDGE_MUST_USE
sedge_status deck_read_points(const deck_reader *reader, const deck_node *points, const char *path,
                              sedge_deck_probe **out, int *count);

// Read a plane, whose keys are those of `section`.
SEDGE_MUST_USE
sedge_status deck_read_plane(const deck_reader *reader, deck_node *node, const char *where,
                             const char *section, const char *name, sedge_deck_slice *slice);

// Check the mapping of one volume group, which messages call `where`: the parameters of a material,
// and an entry for each kind of term, which is absent or a mapping. The contents of these mappings
// are read by deck_read_terms.
SEDGE_MUST_USE
sedge_status deck_check_material(const deck_reader *reader, deck_node *node, const char *where);

// Replace the key `library` of a volume group, if it is there, by the keys and terms of the
// material that it names, which goes to `*out`; NULL: the group has no such key.
SEDGE_MUST_USE
sedge_status deck_expand_library(const sedge_library_material **out, const deck_reader *reader,
                                 deck_node *node, const char *where);

// Replace the equation's shorthands (sedge_shorthand) in a volume group by what they stand for.
// Before deck_expand_library, whose entries the user has not written.
SEDGE_MUST_USE
sedge_status deck_expand_shorthands(const deck_reader *reader, deck_node *node, const char *where);

// Read the terms of all materials; called after deck_read_materials has read the materials.
SEDGE_MUST_USE
sedge_status deck_read_terms(const deck_reader *reader, sedge_deck *deck);

// Check the form of `sweep`: a mapping of keys to lists of one length. `path` is the deck's.
SEDGE_MUST_USE
sedge_status deck_check_sweep(const char *path, const deck_node *sweep);

// The folder of the results of the deck at `path`, where it gives none: "sphere-results" of
// "input/sphere.yaml".
#define DECK_FOLDER_MAX 256
void deck_default_folder(char name[DECK_FOLDER_MAX], const char *path);

// Copy a name of at most 63 bytes.
void deck_copy_name(char out[64], const char *name);
