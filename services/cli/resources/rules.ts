import { change, type FieldOption, fileOption, list, type Resource, show } from "./resource.ts"

/** A template by name; an empty text removes it. */
const TEMPLATE: FieldOption = {
  flag: "otp-template",
  about: "template of mails with codes, by name or id; '' for the built-in mail",
  single: true,
  read: async ([text = ""], { directory }) => (text === "" ? "" : directory.idOf("email-template", text)),
}

const policies: Resource = {
  name: "policy",
  about: "policies of the organization; files of policies, checked and tested offline",
  strip: ["policy"],
  kind: "policy",
  commands: [
    change(
      "create",
      "CREATE_POLICY_V3",
      "create a policy",
      [
        `policy create payroll --effect allow --consensus "approvers.any(user, user.id == '<id>')" --condition "activity.kind == 'SIGN_TRANSACTION'"`,
        "policy create payroll --file payroll.json",
      ],
      { argument: "policyName", defaults: { notes: "" } },
    ),
    list("list_policies policies", "list the policies", "policy list", {
      name: "policyName",
      id: "policyId",
      effect: ({ effect }) => String(effect).replace("EFFECT_", "").toLowerCase(),
    }),
    show("get_policy policy", "show a policy", ["policy show payroll"]),
    change("update", "UPDATE_POLICY_V2", "change a policy", ["policy update payroll --effect deny"]),
    change("delete", "DELETE_POLICIES", "delete policies", ["policy delete payroll"]),
  ],
}

const interfaces: Resource = {
  name: "interface",
  about: "smart contract interfaces, with which policies read calls",
  strip: ["smartContract"],
  kind: "interface",
  commands: [
    change(
      "create",
      "CREATE_SMART_CONTRACT_INTERFACE",
      "add the interface of a contract",
      [
        "interface create token --address 0x00000000000000000000000000000000000000aa --type ethereum --abi token.json",
      ],
      {
        argument: "label",
        options: {
          smartContractInterface: fileOption("abi", "file of the interface: an ABI or IDL in JSON"),
        },
      },
    ),
    list("list_smart_contract_interfaces smartContractInterfaces", "list the interfaces", "interface list", {
      label: "label",
      address: "smartContractAddress",
      id: "smartContractInterfaceId",
    }),
    show("get_smart_contract_interface smartContractInterface", "show an interface", [
      "interface show token",
    ]),
    change("delete", "DELETE_SMART_CONTRACT_INTERFACE", "delete an interface", ["interface delete token"]),
  ],
}

const sessionProfiles: Resource = {
  name: "session-profile",
  about: "session profiles: what a session may stamp",
  strip: ["sessionProfile"],
  kind: "session-profile",
  commands: [
    change(
      "create",
      "CREATE_SESSION_PROFILE",
      "create a session profile",
      [`session-profile create signing --scope "activity.action == 'SIGN'"`],
      { argument: "sessionProfileName" },
    ),
    list("get_session_profiles sessionProfiles", "list the session profiles", "session-profile list", {
      name: "sessionProfileName",
      id: "sessionProfileId",
    }),
    show("get_session_profile sessionProfile", "show a session profile", ["session-profile show signing"]),
    change("delete", "DELETE_SESSION_PROFILE", "delete a session profile", [
      "session-profile delete signing",
    ]),
  ],
}

const organization: Resource = {
  name: "org",
  about: "the organization",
  strip: ["organization"],
  commands: [
    show("get_organization organizationData", "show the organization", ["org show --json"], {}),
    change("update", "UPDATE_ORGANIZATION_NAME", "rename the organization", ["org update Acme"], {
      argument: "organizationName",
    }),
    change(
      "quorum",
      "UPDATE_ROOT_QUORUM",
      "set the root quorum: its members, and how many of them must approve",
      ["org quorum --threshold 2 --user root --user alice --user bob --dry-run"],
      { options: { userIds: { flag: "user" } } },
    ),
  ],
}

const features: Resource = {
  name: "feature",
  about: "features of the organization",
  strip: [],
  commands: [
    change(
      "create|update",
      "SET_ORGANIZATION_FEATURE",
      "switch a feature on, or change its value",
      [
        "feature create otp-email-auth",
        "feature update webhook --value https://hooks.example.com/countersign",
      ],
      { argument: "name" },
    ),
    list("get_organization_configs configs.features", "list the features that are on", "feature list", {
      name: ({ name }) => String(name).replace("FEATURE_NAME_", "").toLowerCase().replaceAll("_", "-"),
      value: "value",
    }),
    change(
      "delete",
      "REMOVE_ORGANIZATION_FEATURE",
      "switch a feature off",
      ["feature delete otp-email-auth"],
      { argument: "name" },
    ),
  ],
}

const proxy: Resource = {
  name: "proxy",
  about: "the auth proxy, which takes sign-ups and logins for the organization",
  strip: [],
  commands: [
    change("create|enable", "ENABLE_AUTH_PROXY", "enable the auth proxy", ["proxy enable"]),
    show("get_auth_proxy_config authProxyConfig", "show the auth proxy's configuration", ["proxy show"], {}),
    change(
      "update",
      "UPDATE_AUTH_PROXY_CONFIG",
      "change the auth proxy's configuration; members that are not given stay",
      [
        "proxy update --allowed-origin https://app.example.com --session-expiration-seconds 900",
        "proxy update --otp-template codes",
      ],
      { options: { otpTemplateId: TEMPLATE } },
    ),
    change("delete|disable", "DISABLE_AUTH_PROXY", "disable the auth proxy", ["proxy disable"]),
  ],
}

/** Rules of an organization: policies, smart contract interfaces, session profiles; and its own settings. */
export const rules: readonly Resource[] = [
  policies,
  interfaces,
  sessionProfiles,
  organization,
  features,
  proxy,
]
