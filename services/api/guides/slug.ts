/**
 * The anchor of a heading, as the usual hosts of Git repositories make it: links between documents work there and here.
 */
export function slug(title: string): string {
  return title
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-")
}
