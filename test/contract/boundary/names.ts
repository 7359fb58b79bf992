/** Types by a short name, without the prefix. */
export const TYPE = (name: string) => `ACTIVITY_TYPE_${name}`

/** The id of nothing. */
export const NIL = "00000000-0000-4000-8000-000000000000"
