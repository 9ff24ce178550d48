/** What this partner's receiver gets, in its body form, and how to verify it. */
import { useState } from 'react';
import { entriesOf } from '../../../../console/src/entries.ts';
import fieldStyles from '../../../../console/src/ui/forms/Field.module.css';
import { Field } from '../../../../console/src/ui/forms/Field.tsx';
import { Section } from '../../../../console/src/ui/page/Section.tsx';
import { Code } from '../../../../console/src/ui/text/Code.tsx';
import textStyles from '../../../../console/src/ui/text/text.module.css';
import { BodyPreview } from '../../../../console/src/widgets/BodyPreview.tsx';
import type { BodyForm } from '../../api/types.ts';
import { Stack } from '../../shell/Stack.tsx';
import { words } from '../../words/words.ts';
import { type Language, snippets } from './snippets.ts';

export default function Snippets({ form }: { form: BodyForm }) {
  const [language, setLanguage] = useState<Language>('TypeScript');
  return (
    <Section title={words.receiver.verify}>
      <Stack>
        <p className={textStyles.prose}>{words.receiver.verifyText}</p>
        <Field label={words.receiver.language} className={fieldStyles.short}>
          {(props) => (
            <select
              {...props}
              value={language}
              onChange={(event) => setLanguage(event.target.value as Language)}
            >
              {entriesOf(snippets).map(([name]) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          )}
        </Field>
        <Code label={words.receiver.snippet(language)} text={snippets[language]} />
        <h3>{words.receiver.body}</h3>
        <BodyPreview form={form} />
      </Stack>
    </Section>
  );
}
