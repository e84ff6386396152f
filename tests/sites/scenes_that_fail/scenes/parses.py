from xml.etree import ElementTree


def compute():
    return {"x": ElementTree.fromstring("<a>").tag}
