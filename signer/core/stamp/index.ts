// The one stamp verifier: both tiers use it as it is, so neither can read a stamp differently from the other.
export { originsOf } from "../webauthn/origins.ts"
export { isPasskeyName, passkeyName } from "../webauthn/credential-id.ts"
export { readStampHeaders, type StampHeaders } from "./headers.ts"
export {
  type StoredApiKey,
  type StoredPasskey,
  requireStampByCredential,
  type StampConditions,
  unknownCredential,
} from "./credential.ts"
export { type StoredStamp, verifyStoredStamp } from "./stored-stamp.ts"
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
