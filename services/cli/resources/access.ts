import { readBlocks, readListedKey } from "./ip-blocks.ts"
import type { FieldOption, Resource } from "./resource.ts"

const LISTED_KEY: FieldOption = {
  flag: "key",
  about:
    "API key that the list is for: a key of the organization by name or id, or its public key; by default the whole organization",
  read: readListedKey,
  single: true,
}

/** Ways into the organization: invitations, and addresses that requests may come from. */
export const access: readonly Resource[] = [
  {
    name: "invitation",
    about: "invitations of future users",
    strip: ["receiverUser"],
    kind: "invitation",
    commands: [
      {
        verb: "create",
        type: "ACTIVITY_TYPE_CREATE_INVITATIONS",
        about: "invite a person by e-mail; they become a user with their first login",
        within: "invitations",
        argument: "receiverUserName",
        options: { senderUserId: { flag: "sender" } },
        sender: "senderUserId",
        examples: [
          "invitation create dora --email dora@example.com --access-type web",
          "invitation create dora --email dora@example.com --access-type all --tag treasury --sender alice",
        ],
      },
      {
        verb: "list",
        query: "get_organization",
        member: "organizationData.invitations",
        about: "list the invitations, ended ones too",
        columns: [
          ["name", "receiverUserName"],
          ["email", "receiverEmail"],
          ["status", ({ status }) => String(status).replace("INVITATION_STATUS_", "").toLowerCase()],
          ["id", "invitationId"],
        ],
        examples: ["invitation list"],
      },
      {
        verb: "delete",
        type: "ACTIVITY_TYPE_DELETE_INVITATION",
        about: "withdraw an invitation that is open, by name, address or id",
        argument: "invitationId",
        examples: ["invitation delete dora"],
      },
    ],
  },
  {
    name: "ip-allowlist",
    about: "IP allowlists: addresses that requests of the organization, or of one API key, may come from",
    strip: [],
    commands: [
      {
        verb: "show",
        query: "get_ip_allowlist",
        member: "allowlist",
        about: "show a list",
        options: { publicKey: LISTED_KEY },
        examples: ["ip-allowlist show", "ip-allowlist show --key backend"],
      },
      {
        verb: "update",
        alias: "set",
        type: "ACTIVITY_TYPE_SET_IP_ALLOWLIST",
        about: "set a list: it replaces the one before, and is enforced unless --enabled false is given",
        options: {
          publicKey: LISTED_KEY,
          rules: {
            flag: "allow",
            about: "block that requests may come from, in CIDR notation; =LABEL may follow",
            read: readBlocks,
          },
        },
        examples: [
          "ip-allowlist set --allow 192.0.2.0/24=office --allow 2001:db8::/48",
          "ip-allowlist set --key backend --allow 198.51.100.7/32 --exclude-caller true",
        ],
      },
      {
        verb: "delete",
        type: "ACTIVITY_TYPE_REMOVE_IP_ALLOWLIST",
        about: "remove a list: requests may come from anywhere",
        options: { publicKey: LISTED_KEY },
        examples: ["ip-allowlist delete --key backend"],
      },
    ],
  },
]
