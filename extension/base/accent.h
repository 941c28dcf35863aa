/*
 * accent.h
 *	  The accent colour of pages.
 */
#ifndef CATALOGUE_BASE_ACCENT_H
#define CATALOGUE_BASE_ACCENT_H

/* The least contrast of a text to what it stands on, by WCAG 2. */
#define CAT_ACCENT_CONTRAST 4.5

/* Return the contrast of an accent to the ground of its links; 0: the text is no six hexadecimal digits. */
extern double cat_accent_contrast(const char *text);

#endif
