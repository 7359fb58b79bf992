// Calls about logins.
import { verifyAttestation, verifyIdToken } from "./attestation.ts"

export const calls = { verifyAttestation, verifyIdToken }
