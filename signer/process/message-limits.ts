/** Largest message in either direction, bytes: a body, a document of a full organization and some records. */
export const MAX_MESSAGE_BYTES = 8 * 1024 * 1024

/** Orders and acknowledgements that one message of the stream holds, or answers. */
export const MAX_ITEMS_PER_MESSAGE = 64
