/**
 * Words that are no command, by their path, with the remedy of each. They are commands of a later release, acts without
 * operation, and commands of the other programs.
 */
const ABSENT: { readonly [path: string]: string } = {
  "email-template update":
    "a template is never changed: create another one, name it in the auth proxy's settings, and delete the former one",
  "session-profile update":
    "a session profile is never changed: create another one, and delete the former one",
  "velocity-control update":
    "a velocity control is never changed: create another one, and delete the former one",
  "interface update": "an interface is never changed: delete it, and create it again",
  "invitation update": "an invitation is never changed: delete it, and invite the person again",
  "ip-allowlist create": "an IP allowlist is set as a whole: countersign ip-allowlist set",
  "ip-allowlist list":
    "an IP allowlist is shown for one key, or for the organization: countersign ip-allowlist show",
  "org list":
    "a key belongs to one organization: countersign org show. Of sub-organizations: countersign suborg list",
  "org delete":
    "an organization of the operator is never deleted; countersign suborg delete deletes a sub-organization",
  "wallet accounts": "accounts have commands of their own: countersign account list --wallet NAME",
}

/** Commands of the programs of other hosts. */
const ELSEWHERE: { readonly [command: string]: string } = {
  serve: "countersign node serve PROCESS, countersign signer serve or countersign fetcher serve",
  db: "countersign node db",
  backup: "countersign node backup",
  join: "countersign node join",
  ceremony: "countersign signer ceremony",
  unlock: "countersign signer unlock",
  lock: "countersign signer lock",
  pair: "countersign signer pair",
  "setup-code": "countersign signer setup-code",
  reseal: "countersign signer reseal",
  ledger: "countersign signer ledger",
  audit: "countersign signer audit",
  status: "countersign signer status",
  "accept-clock": "countersign signer accept-clock",
  "accept-ledger": "countersign signer accept-ledger",
  "public-key": "countersign fetcher public-key",
}

/** The sentence about words that people look for and that are no command; undefined: nothing is known about them. */
export function absentCommand(path: readonly string[]): string | undefined {
  const words = path.join(" ")
  if (Object.hasOwn(ABSENT, words)) return ABSENT[words]
  if (!Object.hasOwn(ELSEWHERE, words)) return undefined
  return `${words} is a command of another host's program: ${ELSEWHERE[words]}`
}
