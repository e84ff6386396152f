"""`python -m scenebook`: the command line, for a site in any folder."""

import sys

from scenebook.cli import main

sys.exit(main())
