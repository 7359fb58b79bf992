// The one stamp verifier: both tiers use it as it is, so neither can read a stamp differently from the other.
export { originsOf } from "../webauthn/origins.ts"
export { isPasskeyName, passkeyName } from "../webauthn/passkey-name.ts"
export { readStampHeaders, type StampHeaders } from "./headers.ts"
export {
  type HeldKey,
  type HeldPasskey,
  requireStampOf,
  type StampTerms,
  unknownCredential,
} from "./holder.ts"
export { type KeptStamp, verifyKeptStamp } from "./kept-stamp.ts"
export { requirePublicKey } from "./keys.ts"
export {
  MAX_PASSKEY_STAMP_LENGTH,
  PASSKEY_SCHEME,
  type PasskeyStamp,
  readPasskeyStamp,
} from "./read-passkey-stamp.ts"
export { type ApiKeyStamp, type KeySignature, MAX_STAMP_LENGTH, readStamp } from "./read-stamp.ts"
export { isStampScheme, type StampScheme, schemeFits } from "./scheme.ts"
export { type Stamp, type StampParts, stampParts } from "./stamp.ts"
export { requireStamp, verifyStamp } from "./verify.ts"
