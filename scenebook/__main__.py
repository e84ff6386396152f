"""`python -m scenebook`: the same command line as `build.py`, for any root."""

import sys

from scenebook.cli import main

sys.exit(main())
