// Members that published clients send beyond the contract, in every activity. They are ignored, and shown as ignored.

type ClientMember = {
  /** Path without indexes, in the spelling that the client sends. */
  readonly place: string
  /** Clients with their versions, and the call that sends it. */
  readonly clients: string
}

/**
 * Found by running the published clients against a service that recorded unknown members, and by comparing the types of their
 * requests with the contract.
 */
export const CLIENT_MEMBERS: readonly ClientMember[] = [
  {
    place: "parameters.generateAppProofs",
    clients:
      "@turnkey/core 1.14.1, 2.5.0 and 2.8.1, @turnkey/sdk-server 8.2.1: each method leaves it in the parameters when its " +
      "caller names it",
  },
]

const places = new Set(CLIENT_MEMBERS.map(({ place }) => place))

/** True if a published client sends a member at this place. */
export function isSentByClients(place: string): boolean {
  return places.has(place)
}
