"""Pages: storyboard, values and drawings become views; templates turn views into HTML; the HTML is checked and written.

A view is what one template may show, already finished. Links are checked on the finished HTML, so the check covers
whatever a template does. Only `output` writes to the site's folder.
"""
