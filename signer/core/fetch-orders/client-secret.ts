import { type Refusal, refuse } from "../refusal.ts"

/** One refusal for a secret that does not open and for another organization's: callers cannot tell them apart. */
export function unopenedSecret(): Refusal {
  const sentence =
    "the client secret cannot be opened for this organization: seal it anew to the fetcher's encryption key"
  return refuse("CLIENT_SECRET_INVALID", sentence, { field: "parameters.encryptedClientSecret" })
}
