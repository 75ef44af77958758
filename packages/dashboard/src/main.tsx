import { render } from 'preact';
import { App } from './app.tsx';
import { finishSignIn } from './sign-in.ts';
import './style/ground.css';
import './style/frame.css';
import './style/controls.css';
import './style/search.css';
import './style/tables.css';
import './style/figures.css';
import './style/progress.css';
import './style/parts.css';
import './style/values.css';

void finishSignIn();
render(<App />, document.body);
