/*
 * The tables and views of the database, as ordered steps from one version to the next.
 *
 * A database says in user_version which step it has seen last. A step is never changed once a
 * version with it was published; a change of the schema is a new step at the end of the list.
 */
#ifndef CUBESIM_TRACES_SCHEMA_H
#define CUBESIM_TRACES_SCHEMA_H

#include <stdint.h>

enum {
    SCHEMA_APPLICATION_ID = 0x43554245, /* "CUBE": application_id of our databases */
    SCHEMA_VERSION = 2                  /* user_version of a database of this program */
};

/* The statements that lead from version - 1 to version, closed by NULL. */
const char *const *schema_step(uint32_t version);

#endif
