/** Nothing in it could break a line of a log. */
const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/

/** True if the text is the id of a request, as callers may choose it and both tiers log it. */
export function isRequestId(text: string): boolean {
  return REQUEST_ID.test(text)
}
