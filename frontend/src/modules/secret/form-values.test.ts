import { expect, test } from "vitest";
import { noSecret, readBase64, toContent } from "~/modules/secret/form-values";

test("only the chosen kind is sent", () => {
  const values = {
    ...noSecret,
    git: { ...noSecret.git, host: "git.example.org", token: "t", sshKey: "left over", knownHosts: "x" },
    registry: { server: "r", user: "u", password: "p" },
    values: [
      { key: " k ", text: "v", base64: "", file: "" },
      { key: "f", text: "", base64: "AAE=", file: "x.bin" },
    ],
  };
  expect(toContent({ ...values, kind: "GIT" })).toEqual({
    git: { host: "git.example.org", user: "", token: "t", sshKey: "", knownHosts: "" },
  });
  expect(toContent({ ...values, kind: "GIT", git: { ...values.git, auth: "ssh" } })).toEqual({
    git: { host: "git.example.org", user: "", token: "", sshKey: "left over", knownHosts: "x" },
  });
  expect(toContent({ ...values, kind: "REGISTRY" })).toEqual({ registry: values.registry });
  expect(toContent({ ...values, kind: "GENERIC" })).toEqual({
    values: [
      { key: "k", text: "v" },
      { key: "f", base64: "AAE=" },
    ],
  });
});

test("a file is read byte by byte", async () => {
  expect(await readBase64(new File([new Uint8Array([0, 255, 10])], "x"))).toBe("AP8K");
});
