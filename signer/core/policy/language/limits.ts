// Limits of expressions. They keep parsing, storing and evaluating cheap; real expressions are far below them: the
// largest known one has 705 characters and about a hundred nodes.

/** Length of the text in UTF-8 bytes: room for an allowlist of 300 addresses. */
export const MAX_TEXT_BYTES = 16_384

/** Height of the tree, and nesting of parentheses: bounds all recursion over a tree. */
export const MAX_DEPTH = 64

export const MAX_NODES = 4_096

/** Letters of one name: messages quote the whole name of an unknown field. */
export const MAX_NAME_LENGTH = 128

export const MAX_LIST_ITEMS = 512

/** Nested lambdas over lists whose length depends on the request: each multiplies the cost by its list's length. */
export const MAX_NESTED_LAMBDAS = 2

export const MAX_STEPS = 100_000

/** A step takes about 50 ns, and twice that for an absent root or a search: conditions of one request take 25 to 50 ms. */
export const MAX_STEPS_PER_REQUEST = 500_000

/** Steps of all consensus and time expressions of one decision. */
export const MAX_APPROVAL_STEPS = 200_000

/** Steps of all searches, in one decision, for votes that would complete a consensus. */
export const MAX_SEARCH_STEPS = 200_000

/** Steps of one evaluation beside its nodes: looking roots up, and a fault's sentence. */
export const STEPS_PER_EVALUATION = 10

/** Characters that one step compares, searches or copies. */
export const CHARACTERS_PER_STEP = 16

export const MAX_INT = 2n ** 127n - 1n
export const MIN_INT = -(2n ** 127n)
export const MAX_UINT = 2n ** 256n - 1n

/** The least int256, which a value known at evaluation may be. */
export const MIN_INT256 = -(2n ** 255n)

/** The last millisecond of the year 9999, the latest that RFC 3339 can write. */
export const MAX_TIMESTAMP = 253_402_300_799_999n
