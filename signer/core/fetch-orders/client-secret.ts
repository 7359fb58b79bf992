import { type Refusal, refuse } from "../refusal.ts"

/** One sentence for a secret that does not open and for one that is another organization's: neither is told. */
export function unopenedSecret(): Refusal {
  const sentence =
    "the client secret cannot be opened for this organization: seal it anew to the fetcher's encryption key"
  return refuse("CLIENT_SECRET_INVALID", sentence, { field: "parameters.encryptedClientSecret" })
}
