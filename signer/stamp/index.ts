// The one stamp verifier: both tiers use it as it is, so neither can read a stamp differently from the other.
export { readStampHeaders, type StampHeaders } from "./headers.ts"
export { requirePublicKey } from "./keys.ts"
export { MAX_STAMP_LENGTH, readStamp, type Stamp } from "./read-stamp.ts"
export { isStampScheme, type StampScheme, schemeFits } from "./scheme.ts"
export { requireStamp, verifyStamp } from "./verify.ts"
