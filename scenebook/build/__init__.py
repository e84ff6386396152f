"""The build: finds out what is out of date, runs it, assembles the pages, and writes the site.

The build skips every step whose inputs have not changed. A build that fails leaves the site untouched, byte for byte,
and reports every mistake at once.
"""
