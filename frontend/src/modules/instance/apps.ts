const titles: Record<string, string> = {
  jupyterlab: "JupyterLab",
  "code-server": "VS Code",
  tensorboard: "TensorBoard",
  sshd: "SSH",
};

/** The name that people know an app by. */
export function appTitle(name: string): string {
  return titles[name] ?? name;
}

/** Whether it is one of the apps that people work in, offered wherever an instance is shown. */
export function isEditor(name: string): boolean {
  return name === "jupyterlab" || name === "code-server";
}
