/*
 * The subcommands: one file each. argv[0] is "cubesim NAME"; the result is the exit code.
 */
#ifndef CUBESIM_CLI_COMMANDS_H
#define CUBESIM_CLI_COMMANDS_H

int cmd_check(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_isa(int argc, char **argv);
int cmd_lower(int argc, char **argv);
int cmd_net(int argc, char **argv);
int cmd_products(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_sensitivity(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_validate(int argc, char **argv);

#endif
