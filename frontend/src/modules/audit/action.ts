import type { TFunction } from "i18next";

const known = [
  "device.approve",
  "device.deny",
  "identity.link",
  "identity.unlink",
  "image.create",
  "image.delete",
  "instance.close-ssh",
  "instance.close-terminal",
  "instance.create",
  "instance.delete",
  "instance.move",
  "instance.open-app",
  "instance.open-ssh",
  "instance.open-terminal",
  "instance.restart",
  "instance.reveal",
  "instance.start",
  "instance.stop",
  "instance.update",
  "run.create",
  "run.delete",
  "run.rerun",
  "run.stop",
  "secret.create",
  "secret.delete",
  "secret.replace",
  "secret.rotate",
  "session.end",
  "setting.reset",
  "setting.test-mail",
  "setting.update",
  "team.acknowledge",
  "team.archive",
  "team.create",
  "team.delete",
  "team.member",
  "team.restore",
  "team.transfer",
  "team.update",
  "token.create",
  "token.revoke",
  "user.create",
  "user.limit",
  "user.role",
  "user.sign-in",
  "user.sign-in-limited",
  "user.sign-in-link",
  "user.sign-in-refused",
  "user.sign-out",
  "volume.create",
  "volume.delete",
] as const;

/** What was done, in words; the code itself where the page is older than the server. */
export function actionText(action: string, t: TFunction): string {
  const name = known.find((each) => each === action);
  if (!name) return action;
  const [noun, verb] = name.split(".", 2) as [string, string];
  return t(`audit.action.${noun}.${verb}` as "audit.action.instance.start");
}
