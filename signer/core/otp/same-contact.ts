/**
 * True for texts that a login takes for one contact: they differ in the case of ASCII letters alone. Unicode case mappings
 * would make different mailboxes equal.
 */
export function isSameContact(one: string, other: string): boolean {
  return foldCase(one) === foldCase(other)
}

/** The one spelling of texts that are the same contact. */
export function foldCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
