import type { MoveOrganizationOptions } from "../moving/organization.ts"
import {
  command,
  type Declaration,
  type OptionDeclaration,
  PINS,
  stamped,
  stampingOfProfile,
  TO,
} from "./command.ts"

const PRUNE: OptionDeclaration = [
  "--prune",
  "delete objects that the file does not list, in the sections that it has",
]

const SECRETS: readonly OptionDeclaration[] = [
  [
    "--client-secret <client=file>",
    "file of the secret of a new OAuth 2.0 credential, as PROVIDER:CLIENT_ID=FILE; repeatable",
    { repeatable: true },
  ],
  [
    "--on-ramp-secret <provider=file>",
    "file of the secret API key of a new or changed on-ramp credential, as moonpay=FILE or moonpay-sandbox=FILE; repeatable",
    { repeatable: true },
  ],
  [
    "--on-ramp-private-key <provider=file>",
    "file of its private API key, as coinbase=FILE; repeatable",
    { repeatable: true },
  ],
]

const load = () => import("../commands/config.ts")

/** `config export`, `config diff`, `config apply` and `config move`. */
export const config: readonly Declaration[] = [
  command({
    words: "config export [file]",
    about: "print the organization as YAML, or bring a file up to date and keep its comments",
    shared: "stamp",
    examples: ["config export > organization.yaml", "config export organization.yaml"],
    run: stamped(async () => (await load()).exportConfig),
  }),
  command({
    words: "config diff <file>",
    about: "print the changes that apply would make; exit 6 if there are any",
    options: [PRUNE],
    shared: "stamp",
    examples: ["config diff organization.yaml --prune"],
    run: stamped(async () => (await load()).diffConfig),
  }),
  command({
    words: "config apply <file>",
    about: "make the organization as the file says; the same command continues after a stop",
    options: [
      PRUNE,
      ["--yes", "do not ask"],
      ["--dry-run", "print the plan, and send nothing"],
      ["--again", "send anew what was rejected within the last hour"],
      ...SECRETS,
      PINS,
    ],
    shared: "stamp",
    examples: [
      "config apply organization.yaml --dry-run",
      "config apply organization.yaml --client-secret x:app=secret.txt",
      "config apply organization.yaml --on-ramp-secret moonpay=secret.txt",
    ],
    run: stamped(async () => (await load()).applyConfig),
  }),
  command<MoveOrganizationOptions>({
    words: "config move",
    about:
      "move the organization to another deployment: wallets, private keys, then its configuration, with a report",
    options: [TO, ["--yes", "do not ask"], ...SECRETS, PINS],
    shared: "change",
    examples: ["config move --to acme --dry-run", "config move --to acme"],
    run: async (call) => {
      const { moveOrganization } = await import("../moving/organization.ts")
      const { options, stamping } = call
      await moveOrganization(options, await stamping(), await stampingOfProfile(options.to, call))
    },
  }),
]
