import { readSteps } from "./mfa-steps.ts"
import type { FieldOption, Resource } from "./resource.ts"
import { readLimit, readSource } from "./velocity.ts"

const REQUIRE: FieldOption = {
  flag: "require",
  about: "step that is met by any of its methods: passkey, passkey:NAME, or passkey,email-otp",
  read: readSteps,
}

/** Resources that limit: velocity controls count amounts, and MFA policies demand further proofs of a user. */
export const limits: readonly Resource[] = [
  {
    name: "mfa-policy",
    about: "MFA policies: credentials that a user must use besides their stamp",
    strip: ["mfaPolicy"],
    kind: "mfa-policy",
    commands: [
      {
        verb: "create",
        type: "ACTIVITY_TYPE_CREATE_MFA_POLICY",
        about: "create an MFA policy of a user; steps are met in any order",
        argument: "mfaPolicyName",
        options: { requiredAuthenticationMethods: REQUIRE },
        examples: [
          `mfa-policy create exports --user alice --condition "activity.action == 'EXPORT'" --require passkey --order 1`,
        ],
      },
      {
        verb: "list",
        query: "get_mfa_policies",
        member: "mfaPolicies",
        about: "list the MFA policies of a user, in their order",
        columns: [
          ["order", "order"],
          ["name", "mfaPolicyName"],
          ["id", "mfaPolicyId"],
          ["condition", "condition"],
        ],
        options: { userId: {} },
        examples: ["mfa-policy list --user alice"],
      },
      {
        verb: "show",
        query: "get_mfa_policy",
        member: "mfaPolicy",
        about: "show an MFA policy of a user",
        argument: { member: "mfaPolicyId", kind: "mfa-policy" },
        options: { userId: {} },
        examples: ["mfa-policy show exports --user alice"],
      },
      {
        verb: "update",
        type: "ACTIVITY_TYPE_UPDATE_MFA_POLICY",
        about: "change an MFA policy; steps that are given replace all steps",
        argument: "mfaPolicyId",
        options: { requiredAuthenticationMethods: REQUIRE },
        examples: ["mfa-policy update exports --user alice --require passkey,api-key --require email-otp"],
      },
      {
        verb: "delete",
        type: "ACTIVITY_TYPE_DELETE_MFA_POLICY",
        about: "delete an MFA policy of a user",
        argument: "mfaPolicyId",
        examples: ["mfa-policy delete exports --user alice"],
      },
    ],
  },
  {
    name: "velocity-control",
    about: "velocity controls: counters of activities and transfers, with limits for policies",
    strip: ["velocityControl"],
    kind: "velocity-control",
    commands: [
      {
        verb: "create",
        type: "ACTIVITY_TYPE_CREATE_VELOCITY_CONTROL",
        about: "create a velocity control",
        argument: "name",
        options: {
          dataSource: {
            flag: "source",
            about:
              "activities, one type of them, or transfers of an asset as CAIP19@DECIMALS; with refuse-unknown calls whose amount is not known are refused",
            read: readSource,
          },
          aggregation: {
            flag: "limit",
            about:
              "comparison: sum or count, <, <=, =, >= or >, a number; “in 1d” and “by user” or “by wallet” may follow",
            read: readLimit,
            single: true,
          },
        },
        examples: [
          `velocity-control create "Signatures of a day" --identifier signatures --source sign-raw-payload-v2 --limit "count <= 3 in 1d by user"`,
          `velocity-control create "Ether of a day" --identifier spent --source eip155:1/slip44:60@18 --limit "sum <= 1.5 in 24h"`,
        ],
      },
      {
        verb: "list",
        query: "list_velocity_controls",
        member: "velocityControls",
        about: "list the velocity controls",
        columns: [
          ["identifier", "identifier"],
          ["name", "name"],
          ["id", "velocityControlId"],
        ],
        examples: ["velocity-control list"],
      },
      {
        verb: "show",
        query: "get_velocity_control",
        member: "velocityControl",
        about: "show a velocity control, by identifier, name or id",
        argument: { member: "velocityControlId", kind: "velocity-control" },
        examples: ["velocity-control show signatures"],
      },
      {
        verb: "delete",
        type: "ACTIVITY_TYPE_DELETE_VELOCITY_CONTROL",
        about: "delete a velocity control and its counters",
        argument: "velocityControlId",
        examples: ["velocity-control delete signatures"],
      },
    ],
  },
]
