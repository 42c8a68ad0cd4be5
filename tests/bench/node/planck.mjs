// planck for the benchmark: Box2D 2.3's ways in JavaScript, double precision.
import { FLAG_BULLETS, FLAG_SLEEP, isStatic } from './scene.mjs';

export const settings = [
	'8 velocity and 3 position iterations, slop 0.005, warm starting and continuous collision with walls as by default',
	'restitution threshold 0; no limit on movement in a step',
];

export async function engineMake(planck) {
	planck.Settings.velocityThreshold = 0;
	planck.Settings.maxTranslation = 1e9;
	const { World, Vec2, Circle, Edge } = planck;
	return {
		note() {
			return null;
		},
		create(scene, from) {
			const world = new World({ gravity: Vec2(scene.gravity.x, scene.gravity.y), allowSleep: (scene.flags & FLAG_SLEEP) !== 0 });
			const ground = world.createBody();
			for (const s of from.segments)
				ground.createFixture({ shape: new Edge(Vec2(s.x1, s.y1), Vec2(s.x2, s.y2)), restitution: s.restitution, friction: s.friction });
			const bodies = from.circles.map((c) => {
				const body = world.createBody({
					type: isStatic(c) ? 'static' : 'dynamic',
					position: Vec2(c.x, c.y),
					linearVelocity: Vec2(c.vx, c.vy),
					bullet: (scene.flags & FLAG_BULLETS) !== 0,
				});
				body.createFixture({
					shape: new Circle(c.radius),
					density: isStatic(c) ? 0 : c.mass / (Math.PI * c.radius * c.radius),
					restitution: c.restitution,
					friction: c.friction,
				});
				return body;
			});
			return { world, bodies, dt: scene.dt };
		},
		step(own) {
			own.world.step(own.dt, 8, 3);
		},
		steer(own, velocities) {
			velocities.forEach((to, i) => own.bodies[i].setLinearVelocity(Vec2(to.vx, to.vy)));
		},
		// Four numbers for each circle into out, from `at` on; returns where it ended.
		states(own, out, at) {
			for (const body of own.bodies) {
				const p = body.getPosition(), v = body.getLinearVelocity();
				out[at++] = p.x;
				out[at++] = p.y;
				out[at++] = v.x;
				out[at++] = v.y;
			}
			return at;
		},
		destroy() {},
	};
}
