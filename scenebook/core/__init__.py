"""What all packages speak in: texts that know their place, problems, numbers, values, digests.

Plain data and pure functions. Nothing here knows YAML, HTML or matplotlib, and nothing here touches the disk except
to digest a file. So every package may import it, and it starts in no time.
"""
