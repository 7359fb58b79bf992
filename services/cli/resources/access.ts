import { readBlocks, readListedKey } from "./ip-blocks.ts"
import { change, type FieldOption, list, type Resource, show } from "./resource.ts"

const LISTED_KEY: FieldOption = {
  flag: "key",
  about:
    "API key that the list is for: a key of the organization by name or id, or its public key; by default the whole organization",
  read: readListedKey,
  single: true,
}

const invitations: Resource = {
  name: "invitation",
  about: "invitations of future users",
  strip: ["receiverUser"],
  kind: "invitation",
  commands: [
    change(
      "create",
      "CREATE_INVITATIONS",
      "invite a person by e-mail; they become a user with their first login",
      [
        "invitation create dora --email dora@example.com --access-type web",
        "invitation create dora --email dora@example.com --access-type all --tag treasury --sender alice",
      ],
      {
        within: "invitations",
        argument: "receiverUserName",
        options: { senderUserId: { flag: "sender" } },
        sender: "senderUserId",
      },
    ),
    list(
      "get_organization organizationData.invitations",
      "list the invitations, ended ones too",
      "invitation list",
      {
        name: "receiverUserName",
        email: "receiverEmail",
        status: ({ status }) => String(status).replace("INVITATION_STATUS_", "").toLowerCase(),
        id: "invitationId",
      },
    ),
    change("delete", "DELETE_INVITATION", "withdraw an invitation that is open, by name, address or id", [
      "invitation delete dora",
    ]),
  ],
}

const allowlists: Resource = {
  name: "ip-allowlist",
  about: "IP allowlists: addresses that requests of the organization, or of one API key, may come from",
  strip: [],
  commands: [
    show(
      "get_ip_allowlist allowlist",
      "show a list",
      ["ip-allowlist show", "ip-allowlist show --key backend"],
      { options: { publicKey: LISTED_KEY } },
    ),
    change(
      "update|set",
      "SET_IP_ALLOWLIST",
      "set a list: it replaces the one before, and is enforced unless --enabled false is given",
      [
        "ip-allowlist set --allow 192.0.2.0/24=office --allow 2001:db8::/48",
        "ip-allowlist set --key backend --allow 198.51.100.7/32 --exclude-caller true",
      ],
      {
        options: {
          publicKey: LISTED_KEY,
          rules: {
            flag: "allow",
            about: "block that requests may come from, in CIDR notation; =LABEL may follow",
            read: readBlocks,
          },
        },
      },
    ),
    change(
      "delete",
      "REMOVE_IP_ALLOWLIST",
      "remove a list: requests may come from anywhere",
      ["ip-allowlist delete --key backend"],
      { options: { publicKey: LISTED_KEY } },
    ),
  ],
}

/** Ways into the organization: invitations, and addresses that requests may come from. */
export const access: readonly Resource[] = [invitations, allowlists]
