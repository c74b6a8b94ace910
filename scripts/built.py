"""The built program that a script of this folder is about."""
import argparse
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def arguments(text):
    """[--check] [PROGRAM]: whether to check, and the program; text is the script's own."""
    parser = argparse.ArgumentParser(description=text,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true",
                        help="write nothing; exit 1 on a difference")
    parser.add_argument("program", nargs="?", type=pathlib.Path,
                        default=ROOT / "build/release/cubesim")
    given = parser.parse_args()
    program = given.program.resolve()
    if not program.is_file():
        print(f"{program} is not there; build it first: cmake --preset release && "
              "cmake --build --preset release, or name a program", file=sys.stderr)
        sys.exit(3)
    return given.check, program
