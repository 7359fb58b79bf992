// Bounds of expressions. They keep parsing, storing and evaluating cheap whatever is written; real ones are far
// below: the largest we know has 705 characters and some hundred nodes.

/** Length of the text in UTF-8 bytes: room for an allowlist of 300 addresses. */
export const MAX_TEXT_BYTES = 16_384

/** Height of the tree, and nesting of parentheses. It bounds the recursion of all that walks a tree. */
export const MAX_DEPTH = 64

export const MAX_NODES = 4_096

/** Letters of one name: messages quote the name of a field that does not exist as a whole. */
export const MAX_NAME_LENGTH = 128

/** Elements of one list that is written out. */
export const MAX_LIST_ITEMS = 512

/** Lambdas within one another over lists whose length only the request knows: cost grows with each one's power. */
export const MAX_NESTED_LAMBDAS = 2

/** Steps of one evaluation. */
export const MAX_STEPS = 100_000

/** Steps of all evaluations that one request causes. */
export const MAX_STEPS_PER_REQUEST = 1_000_000

/** Characters that one step compares, searches or copies. */
export const CHARACTERS_PER_STEP = 16

export const MAX_INT = 2n ** 127n - 1n
export const MIN_INT = -(2n ** 127n)
export const MAX_UINT = 2n ** 256n - 1n

/** The last millisecond of the year 9999: the last one that RFC 3339 can write. The first is that of 1970. */
export const MAX_TIMESTAMP = 253_402_300_799_999n
