/** Users of one organization: the document is read whole at each change. */
export const MAX_USERS = 100
/** Keys without expiry that one user may hold. */
export const MAX_LASTING_API_KEYS = 10
/** Keys with expiry that one user may hold. */
export const MAX_EXPIRING_API_KEYS = 10
