import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { InstancePicture, RunPicture, VolumePicture } from "~/components/pictures";
import classes from "./first-steps.module.css";

const steps = [
  { key: "instance", to: "/instances/new", picture: InstancePicture },
  { key: "run", to: "/runs/new", picture: RunPicture },
  { key: "volume", to: "/volumes?new", picture: VolumePicture },
] as const;

/** What to do first, while there is nothing. */
export function FirstSteps({ mayMake }: { mayMake: boolean }) {
  const { t } = useTranslation();
  return (
    <section className={classes.steps} aria-label={t("first.title")}>
      <h2 className={classes.title}>{t("first.title")}</h2>
      <ol className={classes.list}>
        {steps.map((step, i) => (
          <li key={step.key} className={classes.step}>
            <step.picture />
            <h3>{t(`first.${step.key}.title`)}</h3>
            <p className={classes.text}>{t(`first.${step.key}.text`)}</p>
            {mayMake ? (
              <Button component={Link} to={step.to} variant={i === 0 ? "filled" : "default"}>
                {t(`first.${step.key}.button`)}
              </Button>
            ) : null}
          </li>
        ))}
      </ol>
      {mayMake ? null : <p className="soft">{t("first.viewer")}</p>}
    </section>
  );
}
