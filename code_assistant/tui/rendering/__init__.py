"""From text to coloured rows of a given width: wrapping, Markdown, code, diffs."""
