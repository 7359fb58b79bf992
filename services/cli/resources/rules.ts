import type { FieldOption, Resource } from "./resource.ts"
import { readTextFile } from "./text-file.ts"

/** A template by name; an empty text removes it. */
const TEMPLATE: FieldOption = {
  flag: "otp-template",
  about: "template of mails with codes, by name or id; '' for the built-in mail",
  single: true,
  read: async ([text = ""], { directory }) => (text === "" ? "" : directory.idOf("email-template", text)),
}

/** Rules of an organization: policies, smart contract interfaces, session profiles; and its own settings. */
export const rules: readonly Resource[] = [
  {
    name: "policy",
    about: "policies of the organization; files of policies, checked and tested offline",
    strip: ["policy"],
    kind: "policy",
    commands: [
      {
        verb: "create",
        type: "ACTIVITY_TYPE_CREATE_POLICY_V3",
        about: "create a policy",
        argument: "policyName",
        defaults: { notes: "" },
        examples: [
          `policy create payroll --effect allow --consensus "approvers.any(user, user.id == '<id>')" --condition "activity.kind == 'SIGN_TRANSACTION'"`,
          "policy create payroll --file payroll.json",
        ],
      },
      {
        verb: "list",
        query: "list_policies",
        member: "policies",
        about: "list the policies",
        columns: [
          ["name", "policyName"],
          ["id", "policyId"],
          ["effect", ({ effect }) => String(effect).replace("EFFECT_", "").toLowerCase()],
        ],
        examples: ["policy list"],
      },
      {
        verb: "show",
        query: "get_policy",
        member: "policy",
        about: "show a policy",
        argument: { member: "policyId", kind: "policy" },
        examples: ["policy show payroll"],
      },
      {
        verb: "update",
        type: "ACTIVITY_TYPE_UPDATE_POLICY_V2",
        about: "change a policy",
        argument: "policyId",
        examples: ["policy update payroll --effect deny"],
      },
      {
        verb: "delete",
        type: "ACTIVITY_TYPE_DELETE_POLICIES",
        about: "delete policies",
        argument: "policyIds",
        examples: ["policy delete payroll"],
      },
    ],
  },
  {
    name: "interface",
    about: "smart contract interfaces, with which policies read calls",
    strip: ["smartContract"],
    kind: "interface",
    commands: [
      {
        verb: "create",
        type: "ACTIVITY_TYPE_CREATE_SMART_CONTRACT_INTERFACE",
        about: "add the interface of a contract",
        argument: "label",
        options: {
          smartContractInterface: {
            flag: "abi",
            about: "file of the interface: an ABI or IDL in JSON",
            isFile: true,
            single: true,
            read: ([file = ""]) => readTextFile("--abi", file),
          },
        },
        examples: [
          "interface create token --address 0x00000000000000000000000000000000000000aa --type ethereum --abi token.json",
        ],
      },
      {
        verb: "list",
        query: "list_smart_contract_interfaces",
        member: "smartContractInterfaces",
        about: "list the interfaces",
        columns: [
          ["label", "label"],
          ["address", "smartContractAddress"],
          ["id", "smartContractInterfaceId"],
        ],
        examples: ["interface list"],
      },
      {
        verb: "show",
        query: "get_smart_contract_interface",
        member: "smartContractInterface",
        about: "show an interface",
        argument: { member: "smartContractInterfaceId", kind: "interface" },
        examples: ["interface show token"],
      },
      {
        verb: "delete",
        type: "ACTIVITY_TYPE_DELETE_SMART_CONTRACT_INTERFACE",
        about: "delete an interface",
        argument: "smartContractInterfaceId",
        examples: ["interface delete token"],
      },
    ],
  },
  {
    name: "session-profile",
    about: "session profiles: what a session may stamp",
    strip: ["sessionProfile"],
    kind: "session-profile",
    commands: [
      {
        verb: "create",
        type: "ACTIVITY_TYPE_CREATE_SESSION_PROFILE",
        about: "create a session profile",
        argument: "sessionProfileName",
        examples: [`session-profile create signing --scope "activity.action == 'SIGN'"`],
      },
      {
        verb: "list",
        query: "get_session_profiles",
        member: "sessionProfiles",
        about: "list the session profiles",
        columns: [
          ["name", "sessionProfileName"],
          ["id", "sessionProfileId"],
        ],
        examples: ["session-profile list"],
      },
      {
        verb: "show",
        query: "get_session_profile",
        member: "sessionProfile",
        about: "show a session profile",
        argument: { member: "sessionProfileId", kind: "session-profile" },
        examples: ["session-profile show signing"],
      },
      {
        verb: "delete",
        type: "ACTIVITY_TYPE_DELETE_SESSION_PROFILE",
        about: "delete a session profile",
        argument: "sessionProfileId",
        examples: ["session-profile delete signing"],
      },
    ],
  },
  {
    name: "org",
    about: "the organization",
    strip: ["organization"],
    commands: [
      {
        verb: "show",
        query: "get_organization",
        member: "organizationData",
        about: "show the organization",
        examples: ["org show --json"],
      },
      {
        verb: "update",
        type: "ACTIVITY_TYPE_UPDATE_ORGANIZATION_NAME",
        about: "rename the organization",
        argument: "organizationName",
        examples: ["org update Acme"],
      },
      {
        verb: "quorum",
        type: "ACTIVITY_TYPE_UPDATE_ROOT_QUORUM",
        about: "set the root quorum: its members, and how many of them must approve",
        options: { userIds: { flag: "user" } },
        examples: ["org quorum --threshold 2 --user root --user alice --user bob --dry-run"],
      },
    ],
  },
  {
    name: "feature",
    about: "features of the organization",
    strip: [],
    commands: [
      {
        verb: "create",
        alias: "update",
        type: "ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE",
        about: "switch a feature on, or change its value",
        argument: "name",
        examples: [
          "feature create otp-email-auth",
          "feature update webhook --value https://hooks.example.com/countersign",
        ],
      },
      {
        verb: "list",
        query: "get_organization_configs",
        member: "configs.features",
        about: "list the features that are on",
        columns: [
          [
            "name",
            ({ name }) => String(name).replace("FEATURE_NAME_", "").toLowerCase().replaceAll("_", "-"),
          ],
          ["value", "value"],
        ],
        examples: ["feature list"],
      },
      {
        verb: "delete",
        type: "ACTIVITY_TYPE_REMOVE_ORGANIZATION_FEATURE",
        about: "switch a feature off",
        argument: "name",
        examples: ["feature delete otp-email-auth"],
      },
    ],
  },
  {
    name: "proxy",
    about: "the auth proxy, which takes sign-ups and logins for the organization",
    strip: [],
    commands: [
      {
        verb: "create",
        alias: "enable",
        type: "ACTIVITY_TYPE_ENABLE_AUTH_PROXY",
        about: "enable the auth proxy",
        examples: ["proxy enable"],
      },
      {
        verb: "show",
        query: "get_auth_proxy_config",
        member: "authProxyConfig",
        about: "show the auth proxy's configuration",
        examples: ["proxy show"],
      },
      {
        verb: "update",
        type: "ACTIVITY_TYPE_UPDATE_AUTH_PROXY_CONFIG",
        about: "change the auth proxy's configuration; members that are not given stay",
        options: { otpTemplateId: TEMPLATE },
        examples: [
          "proxy update --allowed-origin https://app.example.com --session-expiration-seconds 900",
          "proxy update --otp-template codes",
        ],
      },
      {
        verb: "delete",
        alias: "disable",
        type: "ACTIVITY_TYPE_DISABLE_AUTH_PROXY",
        about: "disable the auth proxy",
        examples: ["proxy disable"],
      },
    ],
  },
]
