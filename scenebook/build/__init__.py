"""The build: find out what is stale, run it, put the pages together, write the site.

Every step is skipped when everything it depends on is as it was. A build that fails leaves the site as it was, byte for
byte, and reports every mistake at once.
"""
