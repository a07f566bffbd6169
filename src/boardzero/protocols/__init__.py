"""The languages of other programs and the formats of their game files: parse and format, no players inside."""
